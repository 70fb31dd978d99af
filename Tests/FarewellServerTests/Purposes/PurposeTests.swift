// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellServer
import Foundation
import Testing

@Suite("One key per purpose")
struct PurposeTests {
    @Test("SC-1 SRV-01 a secret issued for one purpose is accepted for it, and refused for each of the others")
    func pairs() async throws {
        try await ErasureMount.with(isWorking: .off, pages: PageSettings()) { mount in
            let purposes = try Purposes(mount, try await mount.person()).all
            #expect(Set(purposes.map(\.name)).count == purposes.count && purposes.count > 40)
            var issued: [String] = []
            for purpose in purposes { issued.append(try await purpose.issue()) }
            for (value, own) in zip(issued, purposes) {
                #expect(value.count >= 16, "\(own.name)")
                for other in purposes where other.name != own.name {
                    #expect(try await !other.accepts(value), "\(own.name) is accepted as \(other.name)")
                }
            }
            // Last, because it uses up the secrets that are valid once.
            for (value, own) in zip(issued, purposes) { #expect(try await own.accepts(value), "\(own.name)") }
        }
    }

    @Test("SC-1 fields carry their length: no two lists of fields, and no two purposes, have the same code")
    func fields() {
        let root = Secret(Entropy.live.bytes(32))
        let key = PurposeKey("a", root)
        let lists = [
            [], [""], ["", ""], ["ab"], ["a", "b"], ["a", "b", ""], ["b", "a"], ["a\u{0}b"], ["a/b"], ["a.b"],
            ["\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}a"], ["é"], ["e\u{301}"],
        ]
        #expect(Set(lists.map { key.text($0) }).count == lists.count)
        #expect(Set(lists.map { PurposeKey.joined($0) }).count == lists.count)
        for list in lists {
            #expect(key.accepts(key.text(list), list) && !key.accepts(PurposeKey("b", root).text(list), list))
            #expect(!key.accepts("", list) && !key.accepts(key.text(list) + "A", list))
        }
        let keys = PageKeys.ofTest()
        #expect(Set(PageKeys.Purpose.allCases.map { keys[$0].text([]) }).count == PageKeys.Purpose.allCases.count)
    }

    @Test("SC-1 each purpose of a key has a label and a key of its own")
    func keys() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("purposes-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try KeyStore.prepared(in: StateDirectory.prepared(at: folder), now: { Date() })
        let codes = KeyPurposes.codes(store)
        #expect(Set(codes.map(\.label)).count == codes.count && codes.count > 80)
        // A code holds its purpose, so the keys themselves are compared.
        #expect(Set(codes.map(\.code)).count == codes.count)
        let derived = codes.map { PurposeKey("same", store.derivedKey(for: TestedLabel(label: $0.label))).code([]) }
        #expect(Set(derived).count == codes.count)
        // Labels are never changed: what was made under another one would no longer be valid.
        let labels = Set(codes.map(\.label))
        let former = [
            "farewell/authority/lookup/mail-window/email_change/strangers/v1", "farewell/authority/lookup/mail-minute/signup/v1",
            "farewell/authority/lookup/password-attempts/v1", "farewell/authority/lookup/new-addresses/callers/v1",
            "farewell/authority/lookup/source-device/v1", "farewell/authority/seal/provider-credential/v1",
            "farewell/authority/refresh-chain/v1", "farewell/pages/sign-in-state/console/v2", "farewell/key-identity/v1",
        ]
        #expect(labels.isSuperset(of: former))
    }

    private struct TestedLabel: KeyPurpose {
        static let allCases: [TestedLabel] = []
        let label: String
    }

    @Test("secrets that earlier versions sealed and issued are still valid")
    func earlier() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earlier-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try KeyStore.prepared(in: StateDirectory.prepared(at: folder), now: { Date() })
        let keys = AuthoritySeal(store, entropy: .live)
        for purpose in SealPurpose.allCases {
            let sealed = try keys.sealedAsBefore([1, 2, 3], for: "\(purpose.rawValue)/a/b")
            #expect(try keys.open(sealed, purpose, of: ["a", "b"]) == [1, 2, 3])
            for other in SealPurpose.allCases where other != purpose {
                #expect(throws: FarewellError.self) { try keys.open(sealed, other, of: ["a", "b"]) }
            }
        }
        let id = UUID()
        let former = try ErasureTicket.asBefore(for: "k", of: id, keys: store)
        #expect(ErasureTicket(for: "k", of: id, keys: store) != former)
        #expect(ErasureTicket(for: "k", of: id, keys: store, kept: former.hash) == former)
        let present = ErasureTicket(for: "k", of: id, keys: store)
        #expect(ErasureTicket(for: "k", of: id, keys: store, kept: present.hash) == present)
    }
}
