// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The proof that the plan's names of persons are those that a service uses for them.
///
/// A service that looks a person up by name does not know one of another kind, such as the app's own number in place of
/// the service's identifier. So if it knows none of the person's names, a page of the names that it has is read, once a
/// minute at most: if none has a form that the person's could have, "nothing there" proves nothing. With the setting
/// `mixed: allowed` the service has names of several forms, and none objects.
struct NamesInUse: Sendable {
    /// Proves the place, and reads some names of it; `nil` if the service does not list them.
    typealias Look = () async throws -> NameSample?

    let isMixed: Bool
    private let system: String
    private let proof: PlaceProof
    private let last = Guarded<NameSample?>(nil)

    /// - Throws: `plan.system`.
    init(_ settings: SystemSettings, world: ConnectorWorld) throws {
        system = settings.system.name
        isMixed = try settings.isMixed()
        proof = PlaceProof(world)
    }

    /// A person was seen under the plan's name.
    func sawSomething() { proof.sawSomething() }

    /// - Parameters:
    ///   - names: The person's names, none of which the service knows. Without any, only the place is proved.
    ///   - record: The findings of recorded erasures there. Other persons' data does not show that these names fit.
    /// - Throws: `ConnectorFault.unproved` if the names have another form than those that the service has.
    func require(_ names: [String], _ record: PlaceRecord, _ look: Look) async throws {
        guard !proof.hasSeenSomething else { return }
        try await proof.require {
            let found = try await look()
            last.withLock { $0 = found }
        }
        guard !isMixed, record != .dataOfSubject, !names.isEmpty, let sample = last.withLock({ $0 }),
            let why = sample.objection(to: names)
        else { return }
        throw ConnectorFault.unproved(
            system, why,
            remedy: "Set `person` to the column with the names that the system uses, or write `mixed: allowed` in its "
                + "settings if it has names of several forms; then release the erasure.")
    }
}
