// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A source as it is stored and compared: keyed hashes of the network and of the device's secret.
struct SourceHashes: Sendable, Hashable {
    let network: [UInt8]
    /// Whether the network has a name. A network without one is never a known source.
    let isNetworkNamed: Bool
    let device: [UInt8]?
    /// The hash that an account learns instead of a device that it does not know.
    var freshDevice: [UInt8]?

    /// The hashes that an account may know.
    var known: [[UInt8]] { (isNetworkNamed ? [network] : []) + (device.map { [$0] } ?? []) }
    /// The hashes that an account learns at a sign-in, whether it knows them already or not.
    var trusted: [[UInt8]] { (isNetworkNamed ? [network] : []) + (freshDevice == nil ? device.map { [$0] } ?? [] : []) }
}

extension AuthorityKeys {
    func hashes(of source: CallerSource) -> SourceHashes {
        SourceHashes(
            network: lookupHash(source.network ?? "", .sourceNetwork), isNetworkNamed: source.network != nil,
            device: source.device.map { hash(ofDevice: $0) },
            freshDevice: source.freshDevice.map { hash(ofDevice: $0) })
    }

    func hash(ofDevice secret: String) -> [UInt8] { lookupHash(secret, .sourceDevice) }

    /// A session as a source of its own: attempts of a stolen session do not count for its owner.
    func hash(ofSession session: String) -> [UInt8] { lookupHash(session, .sourceSession) }

    /// The hash of a caller's session; for a token without one, that of the user.
    func hash(ofSessionOf caller: Caller) -> [UInt8] {
        hash(ofSession: (caller.session?.id ?? caller.user.id).text)
    }

    /// The name of a counter of one source's attempts at one account.
    func counter(_ rule: AttemptRule, of account: String, from source: [UInt8]) -> [UInt8] {
        counterName([account, source.hexadecimal], .init(rule: rule.name, scope: .source))
    }

    /// The name of the counter of all signed-in callers' requests for one address together. Callers who are not signed
    /// in have another one, so that unknown sources do not use up the owner's.
    func callersCounter(_ rule: AttemptRule, of address: String) -> [UInt8] {
        counterName([address], .init(rule: rule.name, scope: .callers))
    }

    /// The name of the counter of all unknown sources' attempts at one account together.
    func unknownSourcesCounter(_ rule: AttemptRule, of account: String) -> [UInt8] {
        counterName([account], .init(rule: rule.name, scope: .unknownSources))
    }
}
