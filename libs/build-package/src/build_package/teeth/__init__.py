"""Teeth of made wheels and racks, which designs model as discs of the pitch diameter and as straight sides."""
