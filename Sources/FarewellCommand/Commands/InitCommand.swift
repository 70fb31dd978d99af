// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Writes a first plan from the live schema.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a commented plan from the live schema.",
        discussion: """
            Reads the schema, follows every key from the table where a person begins, and writes what would happen to \
            each table and column. What it had to guess stands in the file as a comment, for you to decide. The \
            database is only read.

              farewell init --database sqlite:app.sqlite --subject users.id
              farewell init --database postgresql://app@db.example/app --subject auth.users.id
              farewell init --database sqlite:app.sqlite --plan plans/app.yaml --force

            \(ExitStatus.explanation)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Option(
        help: ArgumentHelp("Where a person begins: table and key. Guessed when not given.", valueName: "table.column"))
    var subject: String?

    @Flag(help: "Replace a plan that exists.")
    var force = false

    func run() async throws {
        let root = try subjectColumn()
        let path = installation.plan
        guard force || !FileManager.default.fileExists(atPath: path) else { throw Self.exists(path) }
        let schema = try await installation.connected(.looking, isComparing: false) { try await Schema.read(from: $0) }
        let draft = try PlanDerivation.draft(from: schema, subject: root, fingerprint: schema.fingerprint)
        try write(PlanFile.text(for: draft.plan, notes: draft.notes), to: path)
        answer.json ? Terminal.output.json(Summary(draft, path)) : say(draft, schema)
    }

    private func subjectColumn() throws -> ColumnName? {
        guard let subject else { return nil }
        guard let column = ColumnName(parsing: subject) else {
            throw misuse(
                "command.subject-column", "--subject does not name a table and its key.",
                remedy: "Write it as table.column or schema.table.column, e.g. --subject auth.users.id.")
        }
        return column
    }

    private func write(_ text: String, to path: String) throws {
        do {
            let options: Data.WritingOptions = force ? .atomic : .withoutOverwriting
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: options)
        } catch {
            if !force, FileManager.default.fileExists(atPath: path) { throw Self.exists(path) }
            throw misuse(
                "plan.unwritable", "The plan cannot be written to \(Terminal.printable(path)).",
                remedy: "Make its folder, or allow writing to it.")
        }
    }

    private static func exists(_ path: String) -> FarewellError {
        misuse(
            "plan.exists", "There is a plan at \(Terminal.printable(path)) already, and it may have been edited.",
            remedy: "Look at it with farewell check; --force replaces it.")
    }

    private func say(_ draft: PlanDraft, _ schema: Schema) {
        let terminal = Terminal.output
        let plan = draft.plan
        terminal.line("Read \(Words.count(schema.tables.count, "table")) from \(schema.dialect.name).")
        terminal.line()
        var table = TextTable(["rule", "tables", ""], numbers: [1])
        for word in Rule.words {
            let names = plan.tables.filter { $0.rule.word == word }.map(\.table.description)
            if !names.isEmpty { table.add([word, Words.grouped(names.count), names.joined(separator: ", ")]) }
        }
        table.lines(width: terminal.width).forEach { terminal.line($0) }
        terminal.line()
        for note in draft.notes {
            let place = note.table.map { table in
                note.column.map { ColumnName(table, $0).description } ?? table.description
            }
            let text = Terminal.printable((place.map { "\($0): " } ?? "") + note.text)
            Paragraph.marked("  · ", text, width: terminal.width).forEach { terminal.line($0) }
        }
        terminal.line()
        terminal.line(
            "Wrote \(Terminal.printable(installation.plan)). Read it, then hold it against the database: "
                + terminal.bold("farewell check"))
    }
}

/// What `init` did, for programs.
private struct Summary: Encodable {
    struct Note: Encodable {
        let place: String?
        let text: String
    }

    let plan: String
    let subject: String
    let tables: [String: Int]
    let notes: [Note]

    init(_ draft: PlanDraft, _ path: String) {
        plan = path
        subject = ColumnName(draft.plan.subject.table, draft.plan.subject.key).description
        tables = Dictionary(grouping: draft.plan.tables, by: \.rule.word).mapValues(\.count)
        notes = draft.notes.map { note in
            let place = note.table.map { table in
                note.column.map { ColumnName(table, $0).description } ?? table.description
            }
            return Note(place: place, text: note.text)
        }
    }
}
