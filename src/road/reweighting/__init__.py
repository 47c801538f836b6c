"""Which rows are worth drawing: priorities that are learnt beside the agent."""
