"""A report of ops as one HTML file."""

from optap.report.html import write_html

__all__ = ("write_html",)
