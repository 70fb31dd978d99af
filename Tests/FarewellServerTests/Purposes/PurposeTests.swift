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
            let purposes = Purposes(mount: mount, person: try await mount.person()).all
            #expect(Set(purposes.map(\.name)).count == purposes.count && purposes.count > 35)
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
