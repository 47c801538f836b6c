"""Text from files and folders of anyone never commands the terminal."""

import pytest

from road.terminal import LONGEST_WORD, note, one_line, printable, say

TITLE = "\x1b]0;title\x07run\u202e"
SHOWN = r"\x1b]0;title\x07run\u202e"


def test_control_characters_and_turned_text_are_written_out():
    assert printable(TITLE) == SHOWN
    assert printable("a\tb\nc") == "a\tb\nc"


def test_a_message_is_one_line_whose_longest_words_are_shortened():
    path = "/" + "x" * 2 * LONGEST_WORD
    assert one_line(f"no run\n in {TITLE}") == f"no run in {SHOWN}"
    assert len(one_line(path)) < LONGEST_WORD


def test_output_and_notes_are_filtered(capsys: pytest.CaptureFixture[str]):
    say(f"{TITLE}\n")
    note(TITLE)
    assert capsys.readouterr() == (f"{SHOWN}\n", f"note: {SHOWN}\n")
