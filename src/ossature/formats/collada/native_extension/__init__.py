"""Extensions with the profile Ossature: content that COLLADA cannot represent, for lossless round trips."""
