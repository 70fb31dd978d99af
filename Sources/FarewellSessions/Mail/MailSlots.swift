// SPDX-License-Identifier: Apache-2.0

/// The slots at which a server sends mails at the same time.
///
/// Mails to one domain take half of them at most, so that mails to a host that answers slowly delay no others.
struct MailSlots: Sendable {
    static let count = 4
    static let perDomain = 2

    /// The slots that each domain occupies, by the domain's hash.
    private var taken: [[UInt8]: Int] = [:]
    /// The slots of mails that an earlier version stored, without a domain.
    private var takenWithoutDomain = 0

    /// The domains that have no slot left: their next mail waits until one of their mails has been sent.
    var full: [[UInt8]] { taken.filter { $0.value >= Self.perDomain }.map(\.key) }

    /// Whether all slots are occupied.
    var areTaken: Bool { taken.values.reduce(takenWithoutDomain, +) >= Self.count }

    /// Acquires a slot for a mail.
    ///
    /// - Parameter domain: The domain's hash; `nil` for a mail that an earlier version stored.
    /// - Returns: Whether there was one for its domain.
    mutating func acquire(for domain: [UInt8]?) -> Bool {
        guard !areTaken else { return false }
        guard let domain else {
            takenWithoutDomain += 1
            return true
        }
        guard taken[domain, default: 0] < Self.perDomain else { return false }
        taken[domain, default: 0] += 1
        return true
    }

    /// Releases a slot.
    ///
    /// - Returns: Whether other mails to its domain may have waited for it.
    mutating func release(_ domain: [UInt8]?) -> Bool {
        guard let domain else {
            takenWithoutDomain = max(takenWithoutDomain - 1, 0)
            return false
        }
        guard let count = taken[domain] else { return false }
        taken[domain] = count > 1 ? count - 1 : nil
        return count >= Self.perDomain
    }

    /// Releases a slot.
    ///
    /// - Returns: Whether any mail may have waited for it.
    mutating func leave(_ domain: [UInt8]?) -> Bool {
        let wereTaken = areTaken
        return release(domain) || wereTaken
    }
}
