// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The Security framework's functions over items in memory, with its rules: an item is one of its service, account and
/// group; a query without a group matches every group; an item that is added without one is in the app's own group.
final class FakeSecurity: SecurityFunctions {
    struct Key: Hashable { let service, account, group: String }
    enum Call: Hashable { case copy, groups, add, update, delete }

    static let ownGroup = "TEAM.org.example.app"
    let items = Guarded<[Key: Data]>([:])
    let calls = Guarded<[Call]>([])
    /// The results of the next calls of a kind instead of the normal ones, in order.
    let answers = Guarded<[Call: [Int32]]>([:])
    /// An act right before a call of a kind, such as another process that is faster.
    let meanwhile = Guarded<[Call: @Sendable (FakeSecurity) -> Void]>([:])

    private func refusal(_ call: Call) -> SecurityStatus? {
        calls.withLock { $0.append(call) }
        if let work = meanwhile.withLock({ $0.removeValue(forKey: call) }) { work(self) }
        return answers.withLock { answers in
            guard let next = answers[call]?.first else { return nil }
            answers[call]?.removeFirst()
            return SecurityStatus(rawValue: next)
        }
    }

    private func matches(_ item: KeychainItem) -> [Key] {
        items.withLock { items in
            items.keys.filter {
                $0.service == item.service && $0.account == item.account && (item.group == nil || item.group == $0.group)
            }
        }
    }

    func copy(_ item: KeychainItem) -> (status: SecurityStatus, data: Data?) {
        if let refusal = refusal(.copy) { return (refusal, nil) }
        guard let key = matches(item).first else { return (.itemNotFound, nil) }
        return (.success, items.withLock { $0[key] })
    }

    func groups(of item: KeychainItem) -> (status: SecurityStatus, groups: [String]) {
        if let refusal = refusal(.groups) { return (refusal, []) }
        let groups = matches(item).map(\.group)
        return groups.isEmpty ? (.itemNotFound, []) : (.success, groups)
    }

    func add(_ item: KeychainItem, _ data: Data) -> SecurityStatus {
        if let refusal = refusal(.add) { return refusal }
        let key = Key(service: item.service, account: item.account, group: item.group ?? Self.ownGroup)
        return items.withLock { items in
            guard items[key] == nil else { return .duplicateItem }
            items[key] = data
            return .success
        }
    }

    func update(_ item: KeychainItem, _ data: Data) -> SecurityStatus {
        if let refusal = refusal(.update) { return refusal }
        let keys = matches(item)
        items.withLock { items in for key in keys { items[key] = data } }
        return keys.isEmpty ? .itemNotFound : .success
    }

    func delete(_ item: KeychainItem) -> SecurityStatus {
        if let refusal = refusal(.delete) { return refusal }
        let keys = matches(item)
        items.withLock { items in for key in keys { items[key] = nil } }
        return keys.isEmpty ? .itemNotFound : .success
    }
}
