// SPDX-License-Identifier: Apache-2.0

/// A kind of third-party system: the settings and secrets that a plan may give it. Connectors read a plan's system by
/// it, and `docs/plan.md` describes it.
package struct SystemKind: Sendable {
    /// One setting or secret.
    package struct Part: Sendable {
        package let name: String
        package let isRequired: Bool
        package let meaning: String

        static func must(_ name: String, _ meaning: String) -> Part {
            Part(name: name, isRequired: true, meaning: meaning)
        }
        static func may(_ name: String, _ meaning: String) -> Part {
            Part(name: name, isRequired: false, meaning: meaning)
        }
    }

    /// The name, as a plan writes it.
    package let name: String
    /// One sentence: the effect of an erasure there.
    package let purpose: String
    package let settings: [Part]
    package let secrets: [Part]
    /// Whether it erases single items that the app's database lists (`owned`).
    package var takesItems = false
    /// Whether an export reads values with names there, so that a plan can leave out some (`export: {omit: […]}`).
    package var namesValues = false
    /// An entry of `systems` in a plan, as lines of YAML.
    package let example: [String]

    /// All kinds, in the order of the documentation.
    package static let all: [SystemKind] = [
        .cognito, .dynamoDB, .s3, .firebaseAuth, .firestore, .firebaseStorage, .realtimeDatabase, .supabaseAuth,
        .supabaseStorage, .apple, .stripe, .revenueCat, .webhook,
    ]

    /// The settings of kinds that look for the subject's name in a place.
    static let empty = Part.may(
        "empty", "`allowed` if no person may have data there, or few in the part after `{person}`; else `refused`.")
    static let mixed = Part.may(
        "mixed", "`allowed`: the place has names of other forms, too, which other systems of the plan erase.")

    /// The same of kinds that look the subject's name up.
    static let mixedNames = Part.may(
        "mixed", "`allowed` if the service has names of several forms; they are then not compared.")

    /// The setting that every kind has.
    package static let rate = Part.may(
        "rate", "The most calls per second that one process makes to the system, 1 to 1000.")
}
