// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The page of an export that a person reads: one file, no script, nothing fetched.
struct ExportPage {
    private let file: ExportFile

    /// - Parameter createdAt: As the manifest writes it.
    init(_ file: ExportFile, createdAt: String) throws {
        self.file = file
        let day = createdAt.prefix(10)
        let style = "\nmain{max-width:none}.rows{overflow-x:auto}.rows td{text-align:left}"
        try file.write(
            """
            \(ReceiptPage.opening("Your data", style))
            <p>This is your data of \(day). Each table is here twice: as CSV for spreadsheets and as JSON for programs.
            In a spreadsheet file, a text that begins like a formula has an apostrophe before it.</p>

            """)
    }

    func add(_ table: ExportManifest.Table, columns: [String], first: [[String]]) throws {
        let label = escaped(table.label)
        let count = Self.count(table.rows, "row")
        let title = table.areOthers ? "\(label), other users' entries that mention you" : label
        try file.write("<section>\n<h2>\(title)</h2>\n<p>\(count). ")
        try file.write("<a href=\"\(table.csv)\">CSV</a> <a href=\"\(table.json)\">JSON</a></p>\n")
        if table.areOthers {
            try file.write("<p>These entries belong to other users. Only the values that mention you are shown.</p>\n")
        }
        let (whole, inPart) = table.omittedNames
        if !whole.isEmpty { try file.write("<p>Left out: \(names(whole)).</p>\n") }
        if !inPart.isEmpty {
            try file.write("<p>Left out where the value, or the whole row, is another user's: \(names(inPart)).</p>\n")
        }
        if !first.isEmpty, !columns.isEmpty {
            let head = columns.map { "<th scope=\"col\" class=\"text\">\(escaped($0))</th>" }.joined()
            try file.write("<div class=\"rows\"><table>\n<thead><tr>\(head)</tr></thead>\n<tbody>\n")
            for row in first {
                try file.write("<tr>\(row.map { "<td>\(escaped($0))</td>" }.joined())</tr>\n")
            }
            try file.write("</tbody></table></div>\n")
            if table.rows > first.count {
                try file.write("<p>The files contain \(Self.count(table.rows - first.count, "more row")).</p>\n")
            }
        }
        try file.write("</section>\n")
    }

    /// - Parameter files: The first files, each as what it is called and the address that leads to it.
    func add(_ folder: ExportManifest.Folder, files: [(name: String, address: String)]) throws {
        let count = Self.count(folder.files, "file")
        try file.write("<section>\n<h2>Files: \(escaped(folder.place))</h2>\n<p>\(count).</p>\n<ul>\n")
        for one in files { try file.write("<li><a href=\"\(one.address)\">\(escaped(one.name))</a></li>\n") }
        try file.write("</ul>\n")
        if folder.files > files.count {
            try file.write("<p>The folder contains \(Self.count(folder.files - files.count, "more file")).</p>\n")
        }
        try file.write("</section>\n")
    }

    func end(_ manifest: ExportManifest) throws -> ExportFile.Size {
        if !manifest.notExported.isEmpty {
            let items = manifest.notExported.map { "<li><b>\(escaped($0.about))</b>: \(escaped($0.reason))</li>" }
            try file.write("<section>\n<h2>What is not included</h2>\n<ul>\(items.joined())</ul>\n</section>\n")
        }
        if let earlier = manifest.earlier {
            try file.write(
                "<p>\(Self.count(earlier.files, "file")) of these \(earlier.files == 1 ? "was" : "were") copied in an "
                    + "earlier run, which began at \(escaped(earlier.since)) and was interrupted. Nothing of that has "
                    + "changed at its source since.</p>\n")
        }
        try file.write(
            """
            <section>
            <h2>How to check this copy</h2>
            <p>The file <code>manifest.jws</code> is signed (JSON Web Signature, Ed25519) and contains the hash of
            each file here. Ask the service that gave you this copy for its public key.</p>
            </section>
            </main>
            </body>
            </html>

            """)
        return try file.end()
    }

    private func names(_ columns: [String]) -> String { columns.map { escaped($0) }.joined(separator: ", ") }

    private func escaped(_ text: String) -> String { ReceiptPage.escaped(text) }

    private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}
