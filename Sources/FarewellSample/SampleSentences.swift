// SPDX-License-Identifier: Apache-2.0

/// The texts in the examples. No sentence holds a quotation mark: they appear unchanged in SQL.
enum SampleSentences {
    static let coaching = [
        "I keep saying yes and then lie awake about it.",
        "What would it cost you to answer tomorrow instead of at once?",
        "My manager moved the date again and I did not say anything.",
        "Which part of that was yours to carry, and which was not?",
        "I went for the walk we talked about. It helped more than I expected.",
        "Good. What made today different from the other days?",
        "Honestly I am afraid of disappointing everybody.",
        "Let us write down who everybody is. Often it is two people.",
        "The review is on Thursday and I have not slept well since Sunday.",
        "Would you like to rehearse the first two minutes together?",
    ]

    static let flirting = [
        "Your photo by the lake made me smile. Where was it taken?",
        "North of here, two hours by train. Do you walk a lot?",
        "Every Sunday, unless it rains sideways.",
        "Then let us hope for ordinary rain.",
        "I am reading that book you mentioned. It is slow and lovely.",
        "Wait for the third part. Tell me when you get there.",
        "Coffee on Saturday? There is a place with plants everywhere.",
        "Saturday is good. Eleven?",
    ]
}
