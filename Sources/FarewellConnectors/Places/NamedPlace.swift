// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The proof that a place is the right one for the person's name, where the plan names the place by a template such as
/// `users/{person}/`.
///
/// Names of another form than the plan's are in the right place and are not found. So if the person's place is empty,
/// some names beside it are read: if none has a form that the person's could have, the place proves nothing. Settings:
/// - `empty: allowed`: the place may have no person's name at all, or none with the template's end, so only identifiers
///   of another form object;
/// - `mixed: allowed`: other systems of the plan erase names of other forms.
struct NamedPlace: Sendable {
    /// Reads some names of the place: from its beginning, or behind a name.
    typealias Look = (_ name: String?) async throws -> NameSample

    let mayBeEmpty: Bool
    private let system: String
    private let setting: String
    /// The words for a place without names.
    private let empty: String
    private let isMixed: Bool
    private let proof: PlaceProof
    private let last = Guarded<NameSample?>(nil)
    /// Names of the person behind which the place is read.
    private static let most = 3
    /// Names of any person with which the end of the template is tried.
    private static let few = 20

    /// - Parameters:
    ///   - setting: The setting with the template.
    ///   - isListed: Whether the app's database also lists what belongs to a person: then names of any form, and none,
    ///     are ordinary in the place.
    /// - Throws: `plan.system`.
    init(
        _ settings: SystemSettings, _ setting: String, empty: String, isListed: Bool = false, world: ConnectorWorld
    ) throws {
        system = settings.system.name
        self.setting = setting
        self.empty = empty
        let (mayBeEmpty, isMixed) = (try settings.mayBeEmpty(), try settings.isMixed())
        self.mayBeEmpty = mayBeEmpty || isListed
        self.isMixed = isMixed || isListed
        proof = PlaceProof(world)
    }

    /// Something of a person's was seen where the plan's form leads.
    func sawSomething() { proof.sawSomething() }

    /// Whether something is at the end of the template, such as `photos` of `users/{person}/photos/`, for one of some
    /// names.
    typealias End = (_ names: [String]) async throws -> Bool

    /// - Parameters:
    ///   - names: The person's names; none if the place is proved for no person.
    ///   - record: The findings of recorded erasures there.
    ///   - end: `nil` if the template ends with the name.
    /// - Throws: `ConnectorFault.unproved` if the place has no names, or none with the template's end.
    @discardableResult
    func prove(
        _ look: Look, of names: [String] = [], record: PlaceRecord = .nothing, end: End? = nil
    ) async throws -> NameSample {
        let sample = try await look(nil)
        if !mayBeEmpty, record == .nothing, !proof.hasSeenSomething {
            let hasOthersAlone = sample.names.isEmpty && sample.hasOthers && !isMixed
            guard !sample.isEmpty, !hasOthersAlone else {
                throw ConnectorFault.unproved(
                    system, hasOthersAlone ? "no entry there has the form of the setting `\(setting)`" : empty,
                    remedy: "Correct `\(setting)` in the plan, or write `empty: allowed` there if no person may have "
                        + "data yet; then release the erasure.")
            }
            // Names of other forms may have other ends.
            if let end, !isMixed { try await requireEnd(end, sample, names) }
        }
        last.withLock { $0 = sample }
        return sample
    }

    /// A wrong end finds nothing of anyone either: some names of the place are looked for with it.
    private func requireEnd(_ end: End, _ sample: NameSample, _ own: [String]) async throws {
        let some = sample.some(Self.few, of: own)
        guard !some.isEmpty, try await !end(some) else { return }
        let isOwn = some.contains { name in own.contains { $0.isByteEqual(to: name) } }
        throw ConnectorFault.unproved(
            system,
            isOwn
                ? "the person has other entries there, and nothing of any person seen there is at the setting's end"
                : "nothing of the persons seen there is at the end of the setting",
            remedy: "Correct the part of `\(setting)` behind `{person}` in the plan, or write `empty: allowed` if few "
                + "persons have such data; then release the erasure.")
    }

    /// - Parameters:
    ///   - names: The person's names, under which nothing was found.
    ///   - record: The findings of recorded erasures there. Other persons' data does not show that these names fit the
    ///     place.
    /// - Throws: `ConnectorFault.unproved` if nothing shows that this is the right place for them.
    func require(_ names: [String], _ record: PlaceRecord, _ look: Look, end: End? = nil) async throws {
        guard !proof.hasSeenSomething, record != .dataOfSubject, !isMixed || !mayBeEmpty else { return }
        try await proof.require { try await prove(look, of: names, record: record, end: end) }
        guard !isMixed, var sample = last.withLock({ $0 }), objection(of: sample, to: names) != nil else { return }
        if !sample.isWhole {
            // The list is sorted: its first names may have a form of their own.
            for name in names.prefix(Self.most) { sample.add(try await look(name)) }
        }
        if let why = objection(of: sample, to: names) { throw unfit(why) }
    }

    private func objection(of sample: NameSample, to names: [String]) -> String? {
        mayBeEmpty && sample.hasWords ? nil : sample.objection(to: names)
    }

    private func unfit(_ why: String) -> ConnectorFault {
        .unproved(
            system, why,
            remedy: "Set `\(setting)` and `person` to the form of the names there. If there are several forms, write "
                + "one system of the plan for each, each with `mixed: allowed`. Then release the erasure.")
    }
}
