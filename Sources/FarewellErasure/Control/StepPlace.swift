// SPDX-License-Identifier: Apache-2.0

/// Where a step works, as its name says: `rows`, `identity`, `files: avatars`, `system: billing`.
package enum StepPlace: Sendable, Hashable {
    case database
    case files
    /// A third-party system, by its name in the plan.
    case system(String)

    package init(step name: String) {
        let system = "system: "
        if name.hasPrefix(system) {
            self = .system(String(name.dropFirst(system.count)))
        } else {
            self = name.hasPrefix("files") ? .files : .database
        }
    }

    package var isSystem: Bool { if case .system = self { true } else { false } }
}

extension StepRecord {
    /// Where it works.
    package var place: StepPlace { StepPlace(step: name) }
}
