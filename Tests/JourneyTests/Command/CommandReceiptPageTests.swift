// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Testing

@Suite("A receipt as a page, on request")
struct CommandReceiptPageTests {
    @Test("OPS-06 an erasure writes no page; receipt page makes one from an erasure, a file or the newest, on output or in a file")
    func pages() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let erasure = try await place.eraseOne(place.person)
            let names = try FileManager.default.contentsOfDirectory(atPath: place.receipts.path)
            #expect(names == [erasure + ".jws"])
            let page = try await place.farewell("receipt", "page", erasure)
            #expect(page.status == 0 && page.output.hasPrefix("<!doctype html>"), "\(page)")
            #expect(page.output.contains(erasure))
            for name in [[], [".farewell/receipts/\(erasure).jws"], [erasure.uppercased()]] {
                #expect(try await place.call(["receipt", "page"] + name).output == page.output)
            }
            #expect(try await place.farewell("receipt", "page", erasure, "--output", "-").output == page.output)
            for output in ["receipt.html", "a name with spaces & <b>.html", "über.html"] {
                let end = try await place.farewell("receipt", "page", erasure, "--output", output)
                #expect(end.status == 0 && end.output == "Wrote \(output).\n", "\(end)")
                let file = place.folder.appendingPathComponent(output)
                #expect(try String(contentsOf: file, encoding: .utf8) == page.output)
            }
            // The file is not needed where the database answers.
            try FileManager.default.removeItem(at: place.receipts)
            #expect(try await place.farewell("receipt", "page", erasure).output == page.output)
        }
    }

    @Test("OPS-06 receipt page reports a missing receipt, a file that is not a receipt and a place where it cannot write")
    func refusals() async throws {
        try await CommandPlace.with(.sqlite) { place in
            let nothing = try await place.farewell("receipt", "page")
            #expect(nothing.status == 2, "\(nothing)")
            let erasure = try await place.eraseOne(place.person)
            let unknown = try await place.farewell("receipt", "page", "00000000-0000-4000-8000-000000000000")
            #expect(unknown.status == 2 && unknown.errors.contains("no erasure with this identifier"), "\(unknown)")
            for (name, status) in [
                ("../../../../../../etc/hostname", Int32(1)), ("no such file", 2), ("\u{1B}[2J\u{202E}.jws", 2), ("", 2),
                ("farewell.yaml", 1), (".farewell/receipts", 2),
            ] {
                let end = try await place.farewell("receipt", "page", name, "--output", "page.html")
                #expect(end.status == status && end.output.isEmpty, "\(name): \(end)")
                #expect(!end.errors.contains("\u{1B}") && !end.errors.contains("\u{202E}"), "\(end)")
            }
            #expect(!FileManager.default.fileExists(atPath: place.folder.appendingPathComponent("page.html").path))
            for output in ["no such folder/page.html", ".farewell"] {
                let end = try await place.farewell("receipt", "page", erasure, "--output", output)
                #expect(end.status == 2 && end.errors.contains("cannot be written"), "\(end)")
            }
        }
    }
}
