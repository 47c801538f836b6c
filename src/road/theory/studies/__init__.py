"""One module per figure: numbers first, as plain data; ``figures`` draws them."""
