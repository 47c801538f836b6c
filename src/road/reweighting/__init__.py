"""Row weightings: which transitions are worth drawing, learnt beside the agent."""
