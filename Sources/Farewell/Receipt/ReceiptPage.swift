// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A receipt as a page a user can read, keep and print: one file, no script, nothing fetched.
public enum ReceiptPage {
    /// The whole page. `jws` is the signed receipt (RFC 7515, compact), shown so that the page can be checked.
    public static func html(_ receipt: Receipt, jws: String) -> String {
        """
        \(opening("Receipt of erasure"))
        <p class="\(receipt.isComplete ? "done" : "open")">\(escaped(ReceiptWords.summary(of: receipt)))</p>
        \(facts(receipt))
        \(steps(receipt))
        \(remains(receipt))
        \(checks(receipt))
        \(notes("What cannot be checked", "not-checked", receipt.notVerifiable))
        \(notes("What is not included", "not-part", receipt.outOfScope))
        \(proof(receipt, jws: jws))
        </main>
        </body>
        </html>

        """
    }

    /// The beginning of a page of one file, up to its heading: no script, nothing fetched.
    ///
    /// - Parameter style: Further rules of style.
    package static func opening(_ title: String, _ style: String = "") -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(title)</title>
        <style>\(ReceiptPageStyle.css)\(style)</style>
        </head>
        <body>
        <main>
        <h1>\(title)</h1>
        """
    }

    private static func facts(_ receipt: Receipt) -> String {
        let facts = [
            ("Number", receipt.id.text),
            ("Requested", readable(UTCTime.text(receipt.requestedAt))),
            ("Finished", readable(UTCTime.text(receipt.finishedAt))),
            ("Issued", readable(UTCTime.text(receipt.issuedAt))),
        ]
        let lines = facts.map { "<div><dt>\($0.0)</dt><dd>\(escaped($0.1))</dd></div>" }
        return "<dl>\(lines.joined())</dl>"
    }

    private static func steps(_ receipt: Receipt) -> String {
        let items = receipt.steps.map { step in
            "<li><b>\(escaped(step.name))</b> (\(escaped(step.store))): \(ReceiptWords.outcome(step.outcome))</li>"
        }
        var total = receipt.totals
        total.place = "Total"
        return section(
            "What was done", "done",
            """
            <ol>\(items.joined(separator: "\n"))</ol>
            <table><caption>Rows and files, place by place</caption>
            <thead><tr><th scope="col">Place</th><th scope="col">Erased</th>\
            <th scope="col">Made anonymous</th><th scope="col">Kept</th></tr></thead>
            <tbody>\(receipt.steps.flatMap(\.places).map(row).joined(separator: "\n"))</tbody>
            <tfoot>\(row(total))</tfoot>
            </table>
            """)
    }

    private static func row(_ count: PlaceCount) -> String {
        let numbers = [count.erased, count.anonymised, count.retained]
        return "<tr><th scope=\"row\">\(escaped(count.place))</th>"
            + numbers.map { "<td>\(ReceiptWords.grouped($0))</td>" }.joined() + "</tr>"
    }

    private static func remains(_ receipt: Receipt) -> String {
        guard !receipt.retained.isEmpty else {
            return section("What remains", "remains", "<p>Nothing is kept in the places of the plan.</p>")
        }
        let rows = receipt.retained.map { place in
            "<tr><th scope=\"row\">\(escaped(place.place))</th><td>\(ReceiptWords.grouped(place.rows))</td>"
                + "<td class=\"text\">\(escaped(place.reason))</td>"
                + "<td>\(until(place, in: receipt))</td></tr>"
        }
        return section(
            "What remains", "remains",
            """
            <table><caption>What is kept, why, and until when</caption>
            <thead><tr><th scope="col">Place</th><th scope="col">Rows</th>\
            <th scope="col" class="text">Why</th><th scope="col">Until</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """)
    }

    private static func until(_ place: RetainedPlace, in receipt: Receipt) -> String {
        guard let day = place.until else { return "no end is set" }
        return ReceiptWords.isOver(day, in: receipt) ? "\(day); due next" : "\(day)"
    }

    private static func checks(_ receipt: Receipt) -> String {
        let lines =
            [ReceiptWords.readBack(receipt.verification.readBack)]
            + ReceiptWords.deepScan(receipt.verification.deepScan)
            + [ReceiptWords.residue(receipt.verification.residue)]
        return section("How it was checked", "checked", list(lines.map(escaped)))
    }

    private static func notes(_ title: String, _ id: String, _ notes: [ReceiptNote]) -> String {
        guard !notes.isEmpty else { return "" }
        return section(title, id, list(notes.map { "<b>\(escaped($0.about))</b>: \(escaped(ReceiptWords.note($0)))" }))
    }

    private static func proof(_ receipt: Receipt, jws: String) -> String {
        section(
            "How to check this page", "proof",
            """
            <p>This page is a readable copy. The receipt itself is the signed text below (JSON Web Signature, \
            Ed25519). Save it as <code>receipt.jws</code> and type \
            <code>farewell receipt verify receipt.jws</code>, or check it with any JOSE library and the issuer's \
            published keys. The subject appears only as a keyed hash, <code>\(escaped(receipt.subject))</code>.</p>
            <dl><div><dt>Plan</dt><dd><code>\(escaped(receipt.planFingerprint))</code></dd></div>\
            <div><dt>Schema</dt><dd><code>\(escaped(receipt.schemaFingerprint))</code></dd></div>\
            <div><dt>Farewell</dt><dd>\(escaped(receipt.engineVersion))</dd></div></dl>
            <details open><summary>Signed receipt</summary><pre>\(escaped(jws))</pre></details>
            """)
    }

    private static func section(_ title: String, _ id: String, _ body: String) -> String {
        "<section aria-labelledby=\"\(id)\"><h2 id=\"\(id)\">\(title)</h2>\n\(body)\n</section>"
    }

    private static func list(_ items: [String]) -> String {
        "<ul>\(items.map { "<li>\($0)</li>" }.joined(separator: "\n"))</ul>"
    }

    /// `2025-11-21T11:08:00.123Z` as `2025-11-21 11:08:00 UTC`.
    private static func readable(_ time: String) -> String {
        "\(time.prefix(10)) \(time.dropFirst(11).prefix(8)) UTC"
    }

    /// Text for element content and quoted attributes; invisible and direction-turning characters replaced.
    package static func escaped(_ text: String) -> String { MarkupText.escaped(ReceiptText.printable(text)) }
}
