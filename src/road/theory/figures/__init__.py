"""The studies as pictures. Only these modules load matplotlib."""
