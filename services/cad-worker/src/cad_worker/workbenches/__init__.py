"""The workbenches: whether a part can be made as it is, and what that costs. One module for each way of making."""
