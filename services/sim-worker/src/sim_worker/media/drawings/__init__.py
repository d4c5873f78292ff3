"""Pictures with text and measures: captions below, and views of a run with rulers, zones and the payload's path."""
