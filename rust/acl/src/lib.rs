//! What pyACL answers, without Python.
