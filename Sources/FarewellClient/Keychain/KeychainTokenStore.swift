// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Keeps the record in the data-protection Keychain of this device, readable after the first unlock, never in a
/// back-up.
///
/// Wrap it in `SealedTokenStore`: the Keychain outlives the app. An app and its extensions use one service and one
/// access group. Naming a group later moves the item: it is read where it was, and the next write moves it.
public struct KeychainTokenStore: TokenStore {
    private let item: KeychainItem
    private let security: any SecurityFunctions

    #if canImport(Security)
    /// - Parameters:
    ///   - service: The app's identifier.
    ///   - group: The access group that the app shares with its extensions, with the team's prefix; `nil` for the app
    ///     alone.
    public init(service: String, group: String? = nil) {
        self.init(service: service, group: group, security: LiveSecurityFunctions())
    }
    #endif

    package init(service: String, group: String?, security: any SecurityFunctions) {
        item = KeychainItem(service: service, account: "farewell session", group: group)
        self.security = security
    }

    public let name = "Keychain"

    public func read() -> StoreReading {
        let (status, data) = security.copy(item)
        switch status.meaning {
        case .done: return data.map(StoreReading.present) ?? .unknown(SecurityStatus.decode.error)
        case .absent: return item.group == nil ? .absent : earlier()
        default: return .unknown(status.error)
        }
    }

    /// The item in the group in which it was before this one was named.
    private func earlier() -> StoreReading {
        let (status, groups) = security.groups(of: item.within(nil))
        switch status.meaning {
        case .done: break
        case .absent: return .absent
        default: return .unknown(status.error)
        }
        for group in groups where group != item.group {
            let (status, data) = security.copy(item.within(group))
            switch status.meaning {
            case .done: return data.map(StoreReading.present) ?? .unknown(SecurityStatus.decode.error)
            case .absent: continue
            default: return .unknown(status.error)
            }
        }
        // It was there a moment ago, in this group or in another one: nothing is certain.
        return groups.isEmpty ? .absent : .unknown(SecurityStatus.itemNotFound.error)
    }

    public func write(_ record: Data) throws {
        let status = replace(record)
        guard status.meaning == .done else { throw status.error }
        // The record is in the named group; a copy in an earlier one would hold tokens that are never renewed. If it
        // cannot be removed, the next write or departure does that.
        try? removeEarlier()
    }

    /// Updates the item, or adds it if there is none; another process may do the same between the two calls.
    private func replace(_ record: Data) -> SecurityStatus {
        var status = SecurityStatus.duplicateItem
        for _ in 0..<3 where status.meaning == .again {
            status = security.update(item, record)
            // An item that cannot be decoded cannot be changed either, and holds nothing of use.
            if status.meaning == .damaged, security.delete(item).meaning == .done { status = .itemNotFound }
            if status.meaning == .absent { status = security.add(item, record) }
        }
        return status
    }

    public func remove() throws {
        let status = security.delete(item.within(nil))
        guard status.meaning == .done || status.meaning == .absent else { throw status.error }
    }
}

extension KeychainTokenStore: MovingTokenStore {
    /// Removes the item from the groups in which it was before this one was named.
    func removeEarlier() throws {
        guard item.group != nil else { return }
        let (status, groups) = security.groups(of: item.within(nil))
        guard status.meaning == .done || status.meaning == .absent else { throw status.error }
        var failure: FarewellError?
        for group in groups where group != item.group {
            let status = security.delete(item.within(group))
            if status.meaning != .done, status.meaning != .absent { failure = status.error }
        }
        if let failure { throw failure }
    }
}
