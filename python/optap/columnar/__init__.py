"""Parquet and Arrow files, by pyarrow."""
