"""One frozen recipe per trained system: model, task, optimiser and budget in one place."""
