// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL

/// Erases in transactions that are rolled back, and compares.
struct RehearseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Try a whole erasure in a transaction that is rolled back.",
        discussion: """
            Does everything that an erasure does in the database, with its triggers and deferred constraints, and \
            always rolls it back. Reports everything that the database refuses, and every table, planned or not, whose \
            changed rows differ from the plan's prediction. Does not touch files and other systems.

            A rehearsal holds the locks of an erasure until it is rolled back, for one subject after another; on \
            SQLite no other program can write meanwhile. It needs the rights of an erasure and a writable server.

              farewell rehearse --subject 4711 --database sqlite:app.sqlite
              farewell rehearse --subject 4711 --subject 4712 --lock-timeout 1
              farewell rehearse --sample 20 --json           twenty subjects, for programs
              farewell rehearse --subjects-file testers.txt --statement-timeout 10

            Changes by triggers that the plan does not predict are shown as lines for it (`effects:`). Once the plan \
            has these lines, an erasure may make these changes; if it makes others, it is rolled back and waits for an \
            operator.

            Exit status 1: something differs from the plan or was refused; 3: no subject named exists. \
            \(ExitStatus.pointer)
            """)

    @OptionGroup var installation: InstallationOptions
    @OptionGroup var limits: RehearsalOptions
    @OptionGroup var answer: OutputOptions

    @Option(
        name: .customLong("subject"),
        help: ArgumentHelp("The subject: its key in the subject's table. May be repeated.", valueName: "key"))
    var subjects: [String] = []

    @Option(
        help: ArgumentHelp("A file with one key per line; - is standard input.", valueName: "file"), completion: .file()
    )
    var subjectsFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Rehearse this many random subjects, among those with rows.", valueName: "number"))
    var sample: Int?

    func validate() throws {
        try refuseEmpty([("--subjects-file", subjectsFile)])
        guard !subjects.isEmpty || subjectsFile != nil || sample != nil else {
            throw ValidationError("Name --subject, --subjects-file or --sample.")
        }
        guard (1...10_000).contains(sample ?? 1) else { throw ValidationError("--sample takes 1 to 10000.") }
    }

    func run() async throws {
        let plan = try installation.loadPlan()
        let list = try NameList(.subjects, named: subjects, file: subjectsFile)
        let named = list.names
        let (rehearsals, text) = try await installation.connected(.rehearsing) { database in
            let engine = try await ErasureEngine.looking(
                at: database, plan: plan, folder: installation.folder, environment: .live(log: answer.log))
            try await list.requireNoKeyAmongComments { engine }
            var all = named
            if let sample { all += try await engine.sampleSubjects(sample).filter { !named.contains($0) } }
            let progress = RehearsalProgress(isShown: !answer.json)
            let rehearsals = try await list.locatingRefusedKeys {
                engine
            } _: {
                try await engine.rehearse(all, limits: limits.limits) { progress.show($0, of: $1) }
            }
            progress.end()
            return (rehearsals, RehearsalText(rehearsals, engine))
        }
        let output = Terminal.output
        try answer.json ? output.deliver(json: text.record) : output.deliver { text.say(on: $0) }
        guard rehearsals.allSatisfy(\.fits) else { throw ExitStatus.findings }
        guard rehearsals.isEmpty || rehearsals.contains(where: \.isKnown) else { throw ExitStatus.unknownSubject }
    }
}

/// How long a rehearsal may keep others waiting.
struct RehearsalOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long to wait for a lock. Default: 2.", valueName: "seconds"))
    var lockTimeout = 2

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long one statement may take; on SQLite one subject. Default: 30.", valueName: "seconds"))
    var statementTimeout = 30

    func validate() throws {
        guard (1...3_600).contains(lockTimeout), (1...86_400).contains(statementTimeout) else {
            throw ValidationError("--lock-timeout takes 1 to 3600 seconds, --statement-timeout 1 to 86400.")
        }
    }

    var limits: RehearsalLimits { RehearsalLimits(lock: lockTimeout, statement: statementTimeout) }
}

/// Shows the progress of a long rehearsal on a terminal.
struct RehearsalProgress {
    private let terminal: Terminal?

    init(isShown: Bool) { terminal = isShown && Terminal.error.isInteractive ? Terminal.error : nil }

    func show(_ done: Int, of all: Int) {
        if all > 1 { terminal?.write("\r  rehearsed \(done) of \(all)") }
    }

    /// Clears the line.
    func end() { terminal?.write("\r\u{1B}[K") }
}
