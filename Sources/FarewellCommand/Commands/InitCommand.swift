// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Writes a first plan from the live schema.
struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a commented plan from the live schema.",
        discussion: """
            Reads the schema, follows every key from the subject's table, and writes what would happen to each table \
            and column. Anything that the keys of the database do not declare becomes a question in the file; nothing \
            is deleted while a question is open, and `farewell decide` answers it. Changes nothing in the database.

            Where users' keys are texts, it also reads a few rows to see which texts have the form of these keys.

              farewell init --database sqlite:app.sqlite --subject users.id
              farewell init --database postgresql://app@db/app --subject auth.users.id
              farewell init --sample           also read rows: which columns hold keys
                                               of users, which tables target_type names
              farewell init --database sqlite:app.sqlite --plan plans/app.yaml --force
              SUPABASE_URL=https://abc.supabase.co farewell init
                                               beside a Supabase project
              farewell init --merge            add new tables and new buckets to the plan;
                                               its other lines do not change

            \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var answer: OutputOptions

    @Option(
        help: ArgumentHelp("The subject's table and key. Guessed when not given.", valueName: "table.column"))
    var subject: String?

    @Flag(help: "Replace an existing plan.")
    var force = false

    @Flag(help: "Add new tables, their questions and new buckets to the existing plan; change nothing else in it.")
    var merge = false

    @Flag(help: "Also read rows: values that match subjects' keys reveal links, and type columns name tables.")
    var sample = false

    func validate() throws {
        try refuseEmpty([("--subject", subject)])
        if merge, force { throw ValidationError("--merge keeps the plan and --force replaces it; give one of them.") }
        if merge, subject != nil {
            throw ValidationError("--merge takes the subject from the plan; leave out --subject.")
        }
    }

    func run() async throws {
        guard !merge else { return try await mergeIntoPlan() }
        let root = try subjectColumn()
        let path = installation.plan
        try Self.refuseFolder(at: path)
        guard force || !FileManager.default.fileExists(atPath: path) else { throw Self.exists(path) }
        let (draft, schema) = try await drafted(root)
        try write(PlanFile.text(for: draft.plan, notes: draft.notes), to: path)
        try answer.json ? Terminal.output.deliver(json: Summary(draft, path)) : say(draft, schema)
    }

    /// The address of the Supabase project: from SUPABASE_URL, otherwise from the database's own address; `nil` for
    /// neither.
    private var projectAddress: String? {
        let environment = ProcessInfo.processInfo.environment
        if let said = environment["SUPABASE_URL"], !said.isEmpty {
            return said.hasSuffix("/") ? String(said.dropLast()) : said
        }
        return (installation.database ?? InstallationOptions.plannedDatabase(in: environment)?.address).flatMap(
            VendorSurroundings.address)
    }

    private func drafted(_ root: ColumnName?) async throws -> (PlanDraft, Schema) {
        let (isSampling, projectAddress) = (sample, projectAddress)
        return try await installation.connected(.looking, isComparing: false) { database -> (PlanDraft, Schema) in
            let schema = try await Schema.read(from: database)
            let surroundings = try await VendorSurroundings.read(schema, address: projectAddress, on: database)
            func derived(_ schema: Schema) throws -> PlanDraft {
                try PlanDerivation.draft(
                    from: schema, subject: root, fingerprint: schema.fingerprint, surroundings: surroundings)
            }
            var draft = try derived(schema)
            let texts = try await TextKeySampling().marked(schema, for: draft.plan.subject, database)
            if let texts { draft = try derived(texts) }
            guard isSampling else { return (draft, schema) }
            return (try await QuestionSampling().sampled(draft, texts ?? schema, database), schema)
        }
    }

    // MARK: Merging

    private func mergeIntoPlan() async throws {
        let path = installation.plan
        var file = try EditedFile(path)
        let plan = try PlanFile.read(Array(file.text.utf8), path: path)
        let (draft, schema) = try await drafted(ColumnName(plan.subject.table, plan.subject.key))
        let merge = try PlanMerge(draft, into: file.text, path: path, schema)
        try file.replace(by: merge.text)
        try answer.json ? Terminal.output.deliver(json: MergeSummary(merge, path)) : say(merge)
    }

    private func say(_ merge: PlanMerge) {
        let terminal = Terminal.output
        func list(_ names: [String], _ words: String) {
            guard !names.isEmpty else { return }
            terminal.line(words)
            for name in names.prefix(20) { terminal.line("  · " + Terminal.printable(name)) }
            if names.count > 20 { terminal.line("  and \(Words.grouped(names.count - 20)) more") }
        }
        list(merge.added.map(\.description), "Added \(Words.count(merge.added.count, "table")):")
        list(
            merge.addedColumns.map(\.description),
            "Added \(Words.count(merge.addedColumns.count, "column")) of Farewell's own sign-in:")
        list(merge.systems.map(\.name), "Added \(Words.count(merge.systems.count, "system")):")
        if merge.isAddressMissing { terminal.line("Write the project's address into `endpoint` of the new systems.") }
        list(merge.removed.map(\.description), "In the plan, but not in the database; remove these entries yourself:")
        list(
            merge.changed.map(\.description),
            "Columns that only the database or only the plan has; correct these entries yourself:")
        if merge.added.isEmpty { terminal.line("The plan has every table of the database.") }
        let all = merge.open > merge.questions ? "; \(Words.grouped(merge.open)) are open in all" : ""
        let asked =
            merge.questions == 0
            ? "" : " Asked \(Words.count(merge.questions, "question"))\(all): " + terminal.bold("farewell decide")
        terminal.line("Nothing else in \(Terminal.printable(installation.plan)) was changed.\(asked)")
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

    private static func refuseFolder(at path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else { return }
        throw misuse(
            "plan.unwritable", "\(Terminal.printable(path)) is a folder.",
            remedy: "Name a file in it, e.g. \(ShellArgument.option("--plan", path + "/farewell.yaml")).")
    }

    private func write(_ text: String, to path: String) throws {
        try Self.refuseFolder(at: path)
        let target = URL(fileURLWithPath: path)
        do {
            let options: Data.WritingOptions = force ? .atomic : .withoutOverwriting
            // A link stays, and its target is replaced.
            try Data(text.utf8).write(to: force ? target.resolvingSymlinksInPath() : target, options: options)
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            // A new file was begun here: had one been there, the error would be another.
            if !force { try? FileManager.default.removeItem(at: target) }
            throw FileFailure(ENOSPC).error("The plan at \(Terminal.printable(path)) cannot be written")
        } catch {
            if !force, FileManager.default.fileExists(atPath: path) { throw Self.exists(path) }
            let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
            guard !isLink || FileManager.default.fileExists(atPath: path) else {
                throw misuse(
                    "plan.unwritable", "\(Terminal.printable(path)) is a link to a file that does not exist.",
                    remedy: "Correct or remove the link, or name another file with --plan.")
            }
            throw misuse(
                "plan.unwritable", "The plan cannot be written to \(Terminal.printable(path)).",
                remedy: "Create its folder, or allow writing to it.")
        }
    }

    private static func exists(_ path: String) -> FarewellError {
        misuse(
            "plan.exists", "A plan exists at \(Terminal.printable(path)), and it may have been edited.",
            remedy: "Add new tables with --merge, which keeps your edits, or replace the plan with --force.")
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
            terminal.paragraph("  · ", (place.map { "\($0): " } ?? "") + note.text)
        }
        terminal.line()
        let count = plan.questions.count
        if count > 0 {
            let places = plan.questions.prefix(20).map { Terminal.printable($0.place) }
            terminal.line("\(Words.count(count, "question")) that the schema does not answer:")
            for place in places { terminal.line("  ? \(place)") }
            if count > places.count { terminal.line("  and \(Words.grouped(count - places.count)) more") }
            terminal.line()
        }
        terminal.line("Wrote \(Terminal.printable(installation.plan)). Read it, then:")
        if count > 0 { terminal.line("  " + terminal.bold("farewell decide") + "   answers the questions") }
        terminal.line("  " + terminal.bold("farewell check") + "    compares it with the database")
    }
}

/// The result of `init`, for programs.
private struct Summary: Encodable {
    struct Note: Encodable {
        let place: String?
        let text: String
    }

    let plan: String
    let subject: String
    let tables: [String: Int]
    let notes: [Note]
    let questions: Int

    init(_ draft: PlanDraft, _ path: String) {
        plan = path
        subject = ColumnName(draft.plan.subject.table, draft.plan.subject.key).description
        tables = Dictionary(grouping: draft.plan.tables, by: \.rule.word).mapValues(\.count)
        questions = draft.plan.questions.count
        notes = draft.notes.map { note in
            let place = note.table.map { table in
                note.column.map { ColumnName(table, $0).description } ?? table.description
            }
            return Note(place: place, text: note.text)
        }
    }
}

/// The result of `init --merge`, for programs.
private struct MergeSummary: Encodable {
    let plan: String
    let added: [String]
    let columns: [String]
    let systems: [String]
    let questions: Int
    /// The open questions, with those that were open before.
    let open: Int
    let removed: [String]
    let changed: [String]

    init(_ merge: PlanMerge, _ path: String) {
        plan = path
        added = merge.added.map(\.description)
        columns = merge.addedColumns.map(\.description)
        systems = merge.systems.map(\.name)
        questions = merge.questions
        open = merge.open
        removed = merge.removed.map(\.description)
        changed = merge.changed.map(\.description)
    }
}
