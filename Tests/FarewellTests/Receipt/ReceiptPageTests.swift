// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@Suite("A receipt for readers")
struct ReceiptPageTests {
    /// Text that would do harm if it reached a page or a terminal as it is.
    static let hostile = "<script>alert('x')</script>\"&'\u{1B}[2J\u{202E}\u{0}\r\n"

    static func hostileReceipt() throws -> Receipt {
        var receipt = try Receipt.example()
        receipt.subject = hostile
        receipt.planFingerprint = hostile
        receipt.schemaFingerprint = hostile
        receipt.engineVersion = hostile
        receipt.steps[0].name = hostile
        receipt.steps[0].store = hostile
        receipt.steps[0].places[0].place = hostile
        receipt.retained[0].place = hostile
        receipt.retained[0].reason = hostile
        receipt.verification.deepScan.found = [hostile]
        receipt.notVerifiable = [ReceiptNote(about: hostile, note: hostile)]
        receipt.outOfScope = receipt.notVerifiable
        return receipt
    }

    @Test("the page shows the work done, the remaining data with reason and end, and a way to check the receipt")
    func contents() throws {
        let html = ReceiptPage.html(try .example(), jws: "aaa.bbb.ccc")
        for text in [
            "6e3b6c3e-53c7-4c4e-9b1d-2f3a5e0b7c11", "public.messages", "1,234,567", "Tax law, § 147", "2035-12-31",
            "12 planned places were read back with other queries", "all of 9,000 rows in 40 columns", "65,536 bytes in 2 files",
            "Back-ups made before the erasure", "Until 2026-01-01.", "Messages in other people&#39;s mailboxes.",
            "<pre>aaa.bbb.ccc</pre>", "farewell receipt verify", "2025-11-21 11:08:00 UTC",
        ] {
            #expect(html.contains(text), "\(text)")
        }
    }

    @Test("the page is one file without script, and loads nothing")
    func selfContained() throws {
        for receipt in [try Receipt.example(), try Self.hostileReceipt()] {
            let html = ReceiptPage.html(receipt, jws: Self.hostile).lowercased()
            for forbidden in [
                "<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "http:", "https:",
            ] {
                #expect(!html.contains(forbidden), "\(forbidden)")
            }
        }
    }

    @Test("the page is well-formed, whatever its names contain")
    func wellFormed() throws {
        for receipt in [try Receipt.example(), try Self.hostileReceipt()] {
            let html = ReceiptPage.html(receipt, jws: Self.hostile)
            #expect(Markup.fault(in: html) == nil)
        }
    }

    @Test("the page works by keyboard, with a screen reader, in dark mode and on paper")
    func accessible() throws {
        let html = ReceiptPage.html(try .example(), jws: "a.b.c")
        for text in [
            "<html lang=\"en\">", "<main>", "<h1>", "<caption>", "scope=\"col\"", "scope=\"row\"", "aria-labelledby",
            "prefers-color-scheme:dark", "@media print", "width=device-width", "focus-visible",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(html.components(separatedBy: "<h1>").count == 2)
        for id in html.matches(of: /aria-labelledby="([^"]+)"/).map({ String($0.1) }) {
            #expect(html.components(separatedBy: " id=\"\(id)\"").count == 2, "\(id)")
        }
    }

    @Test("a receipt without kept data says so")
    func nothingKept() throws {
        var receipt = try Receipt.example()
        receipt.retained = []
        #expect(ReceiptPage.html(receipt, jws: "").contains("Nothing is kept in the places of the plan."))
        #expect(!ReceiptText.text(receipt).contains("What remains"))
    }

    @Test("the page claims no more than the run checked")
    func claims() throws {
        var receipt = try Receipt.example()
        receipt.retained = []
        #expect(ReceiptText.text(receipt).contains("Everything in the plan was erased.\n"))
        for outcome in [ReceiptStep.Outcome.acknowledged, .notVerifiable] {
            receipt.steps[1].outcome = outcome
            #expect(ReceiptText.text(receipt).contains("not all of it could be checked."))
        }
        receipt.steps[0].outcome = .failed
        #expect(ReceiptText.text(receipt).contains("Not every step could be completed."))
        receipt.verification.readBack.rowsLeft = 2
        #expect(ReceiptText.text(receipt).contains("Data that should be erased is left."))
    }

    @Test("a reason that ends with a full stop gets no second one")
    func reasons() throws {
        var receipt = try Receipt.example()
        receipt.retained[0].reason = "Tax law."
        #expect(ReceiptText.text(receipt).contains(": 7 rows. Tax law. Until 2035-12-31."))
    }

    @Test("a receipt does not claim a retention whose last day is before the end of the run")
    func over() throws {
        var receipt = try Receipt.example()
        let today = CalendarDay(receipt.finishedAt)
        receipt.retained[0].until = today
        #expect(ReceiptText.text(receipt).contains(" Until \(today)."))
        receipt.retained[0].until = CalendarDay(year: 2025, month: 11, day: 20)
        #expect(ReceiptText.text(receipt).contains(": 7 rows. Tax law, § 147. The retention ended on 2025-11-20; it is processed next."))
        #expect(ReceiptPage.html(receipt, jws: "").contains("<td>2025-11-20; due next</td>"))
    }

    @Test("the text gives the same content in plain lines")
    func text() throws {
        let text = ReceiptText.text(try .example())
        #expect(text.hasPrefix("Receipt of erasure 6e3b6c3e-53c7-4c4e-9b1d-2f3a5e0b7c11\n"))
        #expect(text.contains("  public.messages  1,234,567               0     0\n"))
        #expect(text.contains("  Total            1,234,570               2     7\n"))
        #expect(text.contains("public.invoices: 7 rows. Tax law, § 147. Until 2035-12-31."))
    }

    @Test("no name can move the cursor or reverse the text")
    func controlCharacters() throws {
        for text in [ReceiptText.text(try Self.hostileReceipt()), ReceiptPage.html(try Self.hostileReceipt(), jws: "")] {
            #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{0}" || $0 == "\r" })
        }
    }
}

/// A strict reading of the few constructs our page uses: every element closed in order, every `<` and `&` escaped.
enum Markup {
    static func fault(in html: String) -> String? {
        var open: [Substring] = []
        var rest = html.dropFirst("<!doctype html>".count)
        while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" || $0 == ">" }) {
            rest = rest[start...]
            switch rest.first {
            case "<":
                guard let tag = rest.prefixMatch(of: /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>/) else {
                    return "tag: \(rest.prefix(40))"
                }
                if tag.output.2 == "meta" {
                } else if tag.output.1.isEmpty {
                    open.append(tag.output.2)
                } else if open.popLast() != tag.output.2 {
                    return "close: \(rest.prefix(40))"
                }
                rest = rest[tag.range.upperBound...]
                // The style sheet is ours and is no markup.
                if open.last == "style", let end = rest.range(of: "</style>") { rest = rest[end.lowerBound...] }
            case "&":
                guard let reference = rest.prefixMatch(of: /&(?:amp|lt|gt|quot|#39);/) else { return "reference" }
                rest = rest[reference.range.upperBound...]
            default: return "a loose >: \(rest.prefix(40))"
            }
        }
        return open.isEmpty ? nil : "left open: \(open)"
    }
}
