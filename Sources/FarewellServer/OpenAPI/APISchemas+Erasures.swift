// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// The shapes of erasures.
extension APISchemas {
    static let erasureRequest = Schema.object([.may("ticket", .orNull(.sized(22...128)))])

    static let erasure = Schema.object([
        .must("id", .formatted("uuid")), .must("state", .oneOfTexts(ErasureState.allCases.map(\.rawValue))),
        .must("requested_at", .formatted("date-time")), .may("finished_at", .formatted("date-time")),
        .may("grace_until", .formatted("date-time")), .may("due_at", .formatted("date-time")), .must("is_held", .flag),
        .must("steps", .list(.named("ErasureStep"))), .may("receipt", .text), .may("ticket", .text),
    ])

    static let erasureStep = Schema.object([
        .must("name", .text), .must("state", .oneOfTexts(StepState.allCases.map(\.rawValue))),
        .must("attempts", .integer(nil)), .must("started_at", .formatted("date-time")),
        .may("finished_at", .formatted("date-time")), .must("counts", .anyObject),
    ])

    static let erasurePreview = Schema.object([
        .must(
            "places",
            .list(
                .object([
                    .must("place", .text), .must("rule", .text), .must("count", .integer(nil)), .may("reason", .text),
                    .may("until", .text), .must("is_over", .flag), .must("is_others", .flag),
                ]))),
        .must("erased", .integer(nil)), .must("kept", .integer(nil)), .must("blockers", .integer(nil)),
    ])

    static let stepUpRequest = Schema.object([
        .must("action", .oneOfTexts(StepUpAction.allCases.map(\.rawValue))), .may("password", .orNull(.text)),
        .may("id_token", .orNull(.text)), .may("provider", .orNull(.text)), .may("nonce", .orNull(.text)),
    ])

    static let stepUp = Schema.object([
        .must("step_up", .text), .must("action", .text), .must("expires_in", .integer(nil)),
    ])

    static let holdRequest = Schema.object([.must("reason", .sized(1...1_000))])

    static let deadLetterList = Schema.object([
        .must(
            "dead_letters",
            .list(
                .object([
                    .must("endpoint", .text), .must("erasure", .formatted("uuid")), .must("event", .text),
                    .must("attempts", .integer(nil)), .must("reason", .text),
                ])))
    ])

    static let redelivery = Schema.object([.must("waiting", .integer(nil))])

    static let functionAnswer = Schema.object([.must("data", .object([.must("success", .flag)]))])

    static let functionPending = Schema.object([.must("data", .named("PendingDeletion"))])

    static let pendingDeletion = Schema.object([
        .must("success", .flag), .must("message", .text), .must("id", .formatted("uuid")),
        .must("state", .oneOfTexts(ErasureState.allCases.map(\.rawValue))), .must("is_held", .flag),
        .may("grace_until", .formatted("date-time")), .may("due_at", .formatted("date-time")),
        .may("deleted", .anyObject),
    ])

    static let functionRefusal = Schema.object([
        .must("error", .object([.must("code", .text), .must("message", .text), .may("hint", .text)]))
    ])

    static let accountAnswer = Schema.object([
        .must("success", .flag), .must("message", .text), .must("deleted", .anyObject),
    ])

    static let accountRefusal = Schema.object([.must("error", .text)])

    static let accountFailure = Schema.object([
        .must("success", .flag), .must("error", .text), .may("message", .text),
        .may("state", .oneOfTexts(ErasureState.allCases.map(\.rawValue))), .must("details", .anyObject),
    ])

    static let procedureRefusal = Schema.object([.must("code", .text), .must("message", .text)])

    static let systemMessage = Schema.object([
        .must("type", .oneOfTexts(["erased"])), .must("data", .anyObject),
    ])

    static let appleNotification = Schema.object([.must("payload", .text)])
}
