"""Everything that draws or formats: HTML and SVG from plain values, knowing no run and no grid."""
