// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Makes the receipt of an erasure from what was recorded while it ran.
struct ReceiptWriter: Sendable {
    let context: ErasureContext

    private var graph: RowGraph { context.prepared.program.graph }

    func receipt(
        _ erasure: OpenedErasure, _ counts: [String: [String: Int]], _ verification: ReceiptVerification, at now: Date
    ) -> Receipt {
        let steps = context.prepared.plan.folders.compactMap { folder in
            counts[folder.step].map { folderStep(folder, $0, erasure) }
        }
        let parts = context.parts.compactMap { part in
            counts[part.step].map { rowStep(part.step, $0, isAlone: context.parts.count == 1, erasure) }
        }
        let plan = context.prepared.plan
        let first = plan.systems(.first).compactMap { system in
            counts[system.step].map { systemStep(system, $0, erasure) }
        }
        let last = plan.systems(.identity).compactMap { system in
            counts[system.step].map { systemStep(system, $0, erasure) }
        }
        let sweeps = counts.keys.filter { $0.hasPrefix(ErasureRun.sweep) }.sorted().compactMap { name in
            counts[name].map { sweep(name, $0) }
        }
        let isFilesFirst = context.prepared.plan.order.first == .files
        let ordered = isFilesFirst ? steps + parts : Array(parts.prefix(1)) + steps + parts.dropFirst()
        let shared = counts.values.compactMap { $0[SystemErasure.Count.shared.rawValue] }.reduce(0, +)
        let left = counts.values.compactMap { $0[FolderErasure.Count.left.rawValue] }.reduce(0, +)
        let unknown = unknownRows(of: erasure, counts)
        var verification = verification
        verification.readBack.places -= unknown.count
        var notes = notes(left, unread(of: erasure).union(unknown), erasure)
        notes += unsearched(erasure, &verification) + unnamed(erasure, &verification) + copyingViews(verification)
        return Receipt(
            id: erasure.receipt, subject: erasure.record.subjectHash, requestedAt: erasure.record.requestedAt,
            finishedAt: now,
            issuedAt: now, planFingerprint: erasure.record.planFingerprint,
            schemaFingerprint: erasure.record.schemaFingerprint, engineVersion: FarewellVersion.current,
            steps: first + ordered + last + sweeps, retained: retained(erasure, now), verification: verification,
            notVerifiable: notes + self.shared(shared), outOfScope: remarks + unknownTables)
    }

    /// A subject that nothing could be searched for is not said to have been searched for; of a group, others may have
    /// been.
    private func unsearched(_ erasure: OpenedErasure, _ verification: inout ReceiptVerification) -> [ReceiptNote] {
        if verification.residue.state == .scrubbedAndScanned, ResidueScan.names(of: erasure.subject).isEmpty {
            verification.residue = .init(state: .scrubbed)
        }
        let isAsked = context.options.deepScan != .none
        return isAsked && verification.deepScan.extent == .none ? [.nothingToSearchFor] : []
    }

    /// Copies that only a deep scan reads, and of which its findings say more.
    private func copyingViews(_ verification: ReceiptVerification) -> [ReceiptNote] {
        guard verification.deepScan.extent == .none else { return [] }
        return context.prepared.copyingViews.map { view in
            ReceiptNote(about: view.place, note: "Not searched: it is \(view.reason).")
        }
    }

    /// A place in which the subject's names are unknown was not read back.
    private func unnamed(_ erasure: OpenedErasure, _ verification: inout ReceiptVerification) -> [ReceiptNote] {
        let plan = context.prepared.plan
        let systems = plan.systems.filter { erasure.subject.isUnnamed(in: $0.step) }.map(\.name)
        let folders = plan.folders.filter { erasure.subject.isUnnamed(in: $0.name) }.map(\.name)
        guard !systems.isEmpty || !folders.isEmpty else { return [] }
        verification.readBack.places -= systems.count { name in
            context.connectors[name]?.declaration.abilities.contains(.verify) ?? false
        }
        return [ReceiptNote.namesUnknown(in: folders + systems)]
    }

    private func systemStep(_ system: SystemPlan, _ counts: [String: Int], _ erasure: OpenedErasure) -> ReceiptStep {
        func count(_ kind: SystemErasure.Count) -> Int { counts[kind.rawValue] ?? 0 }
        // Resumed after a crash, a system may report that nothing is there; the earlier count includes it.
        let erased = max(count(.erased), count(.found))
        let outcome: ReceiptStep.Outcome =
            if erasure.subject.isUnnamed(in: system.step) {
                .failed
            } else if count(.acknowledged) > 0 {
                .acknowledged
            } else if erased > 0 {
                .erased
            } else {
                count(.shared) > 0 ? .retained : .nothingThere
            }
        return ReceiptStep(
            name: "system", store: system.name, outcome: outcome,
            places: erased > 0 ? [PlaceCount(place: system.name, erased: erased)] : [])
    }

    /// The data that the systems do not erase, according to their declarations; what several systems say, once.
    private var remarks: [ReceiptNote] {
        var said: Set<ReceiptNote> = []
        return context.prepared.plan.systems
            .flatMap { context.connectors[$0.name]?.declaration.remarks ?? [] }.filter { said.insert($0).inserted }
    }

    /// Tables of vendors in which rows of the subject may stay.
    private var unknownTables: [ReceiptNote] {
        context.prepared.unsearched.map { table in
            ReceiptNote(about: table.place, note: "This table was not searched: it is \(table.reason).")
        }
    }

    private func shared(_ names: Int) -> [ReceiptNote] {
        guard names > 0 else { return [] }
        return [
            ReceiptNote(
                about: ReceiptNote.sharedNames,
                note: "Names of the subject that also belong to others: \(names). Data under these names was kept.")
        ]
    }

    private func folderStep(_ folder: FolderPlan, _ counts: [String: Int], _ erasure: OpenedErasure) -> ReceiptStep {
        let files = counts[FolderErasure.Count.files.rawValue] ?? 0
        let place = PlaceCount(place: folder.name, erased: files, bytes: counts[FolderErasure.Count.bytes.rawValue])
        let stays = counts[FolderErasure.Count.left.rawValue] ?? 0 > 0
        let isUnresolved =
            counts[FolderErasure.Count.unresolved.rawValue] ?? 0 > 0 || erasure.subject.isUnnamed(in: folder.name)
        let outcome: ReceiptStep.Outcome =
            isUnresolved ? .failed : files > 0 ? .erased : stays ? .retained : .nothingThere
        return ReceiptStep(name: "files", store: folder.name, outcome: outcome, places: [place])
    }

    private func rowStep(
        _ step: String, _ counts: [String: Int], isAlone: Bool, _ erasure: OpenedErasure
    ) -> ReceiptStep {
        var places: [PlaceCount] = []
        for node in graph.nodes {
            let name = node.place
            let isHere = isAlone || (step == "identity") == graph.isOfIdentity(node.index)
            let rows = isHere ? counts[name] ?? (node.rule.erasesRows ? 0 : erasure.subject.counts[name] ?? 0) : 0
            // Other subjects' rows that lost their link no longer name the subject.
            let links = counts[node.linkPlace] ?? 0
            guard rows + links > 0 else { continue }
            if let count = node.rule.count(rows: rows, links: links, at: name) { places.append(count) }
        }
        let store = context.prepared.schema.dialect.rawValue
        return ReceiptStep(
            name: step, store: store, outcome: outcome(places), places: places.sorted { $0.place < $1.place })
    }

    /// The data that stayed or reappeared after the step, and was erased or anonymised again.
    private func sweep(_ step: String, _ counts: [String: Int]) -> ReceiptStep {
        let places = graph.nodes.compactMap { node -> PlaceCount? in
            let name = node.place
            let rows = (counts[name] ?? 0) + (counts[node.againPlace] ?? 0)
            // Rows that stay and lost what names the subject in them.
            let links = counts[node.linkPlace] ?? 0
            guard rows + links > 0 else { return nil }
            let isErased = node.rule.erasesRows
            return PlaceCount(place: name, erased: isErased ? rows : 0, anonymised: (isErased ? 0 : rows) + links)
        }
        let store = context.prepared.schema.dialect.rawValue
        return ReceiptStep(
            name: step, store: store, outcome: outcome(places), places: places.sorted { $0.place < $1.place })
    }

    private func outcome(_ places: [PlaceCount]) -> ReceiptStep.Outcome {
        if places.contains(where: { $0.erased > 0 }) { return .erased }
        if places.contains(where: { $0.anonymised > 0 }) { return .anonymised }
        return places.isEmpty ? .nothingThere : .retained
    }

    /// Whether the subject has rows retained for a time that counts from the day of the erasure.
    func countsFromToday(_ erasure: OpenedErasure) -> Bool {
        graph.nodes.contains { node in
            guard node.rule.retention != nil else { return false }
            return erasure.subject.counts[node.place] ?? 0 > 0 && erasure.subject.retainedUntil[node.place] == nil
        }
    }

    private func retained(_ erasure: OpenedErasure, _ now: Date) -> [RetainedPlace] {
        graph.nodes.compactMap { node in
            let name = node.place
            guard let retention = node.rule.retention, let rows = erasure.subject.counts[name], rows > 0 else {
                return nil
            }
            let until = erasure.subject.retainedUntil[name] ?? CalendarDay(now).adding(retention.period)
            return RetainedPlace(place: name, rows: rows, reason: retention.reason, until: until)
        }
    }

    /// Places with rows of the subject whose values reading back cannot check.
    private func unread(of erasure: OpenedErasure) -> Set<String> {
        Set(graph.nodes.filter { graph.isUnreadable($0) && erasure.subject.counts[$0.place] ?? 0 > 0 }.map(\.place))
    }

    /// Places with rows that only their own key leads to, and of which more were changed than keys are known: there
    /// were too many, or some were written after the keys had been read.
    private func unknownRows(of erasure: OpenedErasure, _ counts: [String: [String: Int]]) -> Set<String> {
        let nodes = graph.nodes.filter { node in
            guard graph.isKnownByKey(node) else { return false }
            let known = erasure.subject.capturedKeys?[node.table.keyName(graph.ownKey(of: node))]?.count ?? 0
            let changed = counts.values.compactMap { $0[node.place] }.reduce(0, +)
            return max(changed, erasure.subject.counts[node.place] ?? 0) > known
        }
        return Set(nodes.map(\.place))
    }

    private func notes(_ filesLeft: Int, _ unread: Set<String>, _ erasure: OpenedErasure) -> [ReceiptNote] {
        var notes: [ReceiptNote] = []
        if erasure.subject.isCaptureBounded {
            notes.append(
                ReceiptNote(
                    about: "reading back",
                    note: "There were too many rows to read every linked row again one by one."))
        }
        if !unread.isEmpty {
            notes.append(
                ReceiptNote(
                    about: "rows that stay",
                    note: "Rows of \(unread.sorted().joined(separator: ", ")) were changed. Some cannot be read "
                        + "again: they no longer lead to the subject, or a rule replaced their values."))
        }
        let undated = graph.nodes.compactMap { node -> String? in
            guard let start = node.rule.retention?.start, erasure.subject.counts[node.place] ?? 0 > 0 else {
                return nil
            }
            return erasure.subject.retainedUntil[node.place] == nil ? "\(node.place) (\(start))" : nil
        }
        if !undated.isEmpty {
            notes.append(
                ReceiptNote(
                    about: "rows that are kept",
                    note: "Their period counts from the day of the erasure, because the column that it should count "
                        + "from holds no date in some of them: \(undated.sorted().joined(separator: ", "))."))
        }
        if context.prepared.schema.dialect.keepsDeadRows { notes += [.postgreSQLDeadRows, .postgreSQLLog] }
        notes.append(.backups(expire: nil))
        if filesLeft > 0 {
            notes.append(
                ReceiptNote(
                    about: ReceiptNote.filesThatStay,
                    note: "Kept files: \(filesLeft). Other users' rows also name them, or their names match no single "
                        + "file in the folder."))
        }
        return notes
    }
}
