// SPDX-License-Identifier: Apache-2.0

/// A component on a device that holds data of the user: a cache, a folder, a database, settings.
///
/// It can be cleared any number of times, also when it is empty, and again after a crash. A participant with data
/// elsewhere, such as a subscription service, deletes it here too. It has 15 seconds (`WipeRegistry.limit`): after that
/// the departure goes on, the participant counts as not cleared, and the next launch clears it again.
public protocol Participant: Sendable {
    /// Unique, such as `images`.
    var name: String { get }
    /// The kind of its data, for readers of the report, such as `pictures seen`.
    var holds: String { get }
    /// When it is cleared.
    var clears: Clearing { get }
    /// Names of the participants that must be cleared before this one.
    var after: Set<String> { get }
    /// Whether it is in memory alone: then it is cleared with the tokens, before anything on the disk.
    var place: WipePlace { get }

    /// Removes its data. A failure delays no other participant.
    func clear(_ occasion: WipeOccasion) async throws
    /// Checks again, in another way than it was cleared: lists the remains without their contents. Empty if clean.
    func leftovers(_ occasion: WipeOccasion) async throws -> [String]
}

extension Participant {
    public var after: Set<String> { [] }
    public var place: WipePlace { .disk }
}
