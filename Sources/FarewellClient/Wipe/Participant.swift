// SPDX-License-Identifier: Apache-2.0

/// Something on a device that holds data of the person: a cache, a folder, a database, settings.
///
/// Clearing may be asked for any number of times, also when nothing is there, and again after a crash. Whoever holds
/// something elsewhere, such as a subscription service, tells it here too.
public protocol Participant: Sendable {
    /// Unique, such as `images`.
    var name: String { get }
    /// What is held, for people who read the report, such as `pictures seen`.
    var holds: String { get }
    /// When it is cleared.
    var clears: Clearing { get }
    /// Names of those that must have been cleared before.
    var after: Set<String> { get }
    /// Whether it is in memory alone: then it goes with the tokens, before anything on the disk.
    var place: WipePlace { get }

    /// Removes what it holds. A failure stops nobody who does not wait for this one.
    func clear(_ occasion: WipeOccasion) async throws
    /// Looks again, another way than it was cleared: what is left, without saying what was in it. Empty when clean.
    func leftovers(_ occasion: WipeOccasion) async throws -> [String]
}

extension Participant {
    public var after: Set<String> { [] }
    public var place: WipePlace { .disk }
}
