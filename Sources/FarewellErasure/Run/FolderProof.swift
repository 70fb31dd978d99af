// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// The proof that a folder of the plan is the right place for a subject without files there.
///
/// A mistyped template, a wrong root and a volume that is not mounted find nothing of any subject. So some other
/// subject must have an entry where the plan leads, or a recorded erasure have found files there.
struct FolderProof: Sendable {
    let context: ErasureContext
    let folder: FolderPlan
    /// Seconds for which an erasure of another subject says where the app keeps its files: 90 days.
    private static let lifetime = 90.0 * 86_400
    /// Entries of a folder that are read at most.
    private static let mostEntries = 1_000
    /// Entries that are looked for in the subject's table at most.
    private static let mostKeys = 100

    /// The hash of everything in the plan that decides where files are looked for.
    var place: String {
        let location =
            switch folder.location {
            case .folder(let template): ["folder", template]
            case .column(let column): ["column", "\(column)"]
            }
        let parts = [[folder.root], location, ["\(context.prepared.plan.subject.table)"]]
        let digest = SHA256.hash(data: (try? CanonicalJSON.data(parts)) ?? Data())
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// - Parameter erasure: The subject's that is under way; `nil` if none is.
    /// - Returns: Whether the subject has files here, or the place was proved.
    /// - Throws: `folder.unproved`; errors of the disk and the database.
    func require(for subject: SealedSubject, in erasure: UUID?) async throws {
        let survey = try FolderSurvey(root: folder.root)
        guard try isEmpty(for: subject, survey), !folder.mayBeEmpty else { return }
        guard try await !hasRecord(of: subject, in: erasure), try await !isSeen(beside: subject, survey) else { return }
        throw FarewellError(
            "folder.unproved", .yoursToFix,
            "Nothing shows that the folder \(folder.name) of the plan is the right place: this person has no file "
                + "where it leads, and no entry there belongs to another person of the table.",
            remedy: "Mount the volume, or correct root, folder or column of this folder in the plan, or write "
                + "empty: allowed there if no person may have files yet; then release the erasure.")
    }

    /// Whether the plan leads to no file although it names one. A person without a name there has no file.
    private func isEmpty(for subject: SealedSubject, _ survey: FolderSurvey) throws -> Bool {
        switch FolderErasure.target(folder, subject) {
        case .folder(let template, let key):
            return try survey.status(at: FolderPath(template: template, subject: key).names) == nil
        case .files(let names):
            var isNamed = false
            for name in names {
                // A name that leads elsewhere is reported as such.
                guard case .paths(_, isRelative: true) = FileAddress(name, root: folder.root).meaning else { continue }
                if try survey.status(of: name) != nil { return false }
                isNamed = true
            }
            return isNamed
        }
    }

    private func hasRecord(of subject: SealedSubject, in erasure: UUID?) async throws -> Bool {
        let hash = context.subjectHash(subject.key.value).rawValue
        let since = context.environment.now().addingTimeInterval(-Self.lifetime)
        let question = context.control.steps.placeRecord(
            folder.step, at: place, of: hash, in: erasure, since: since)
        do {
            return try await question.run(in: context.database) != .nothing
        } catch let error as FarewellError where erasure == nil && error.family != .tryAgain {
            // A role that may only look may lack the right to read them, and there may be none yet.
            return false
        }
    }

    // MARK: Others

    private func isSeen(beside subject: SealedSubject, _ survey: FolderSurvey) async throws -> Bool {
        let program = context.prepared.program
        switch folder.location {
        case .column:
            guard let sample = program.sampledNames[folder.name] else { return false }
            return try await texts(sample).contains { try survey.status(of: $0) != nil }
        case .folder(let template):
            func isThere(_ key: String) throws -> Bool {
                guard let path = try? FolderPath(template: template, subject: key) else { return false }
                return try survey.status(at: path.names) != nil
            }
            if try await texts(program.sampledKeys).contains(where: isThere) { return true }
            let entries = try FolderEntries(template: template, subject: subject.key.text)
            let found = try survey.names(in: entries.parent, atMost: Self.mostEntries)
            let keys = try found.compactMap(entries.key(of:)).filter(isThere)
            let resolver = SubjectResolver(prepared: context.prepared)
            if keys.contains(where: { resolver.hasForm(of: subject.key.text, $0) }) { return true }
            return try await resolver.isAnyThere(Array(keys.prefix(Self.mostKeys)), in: context.database)
        }
    }

    private func texts(_ sample: RowStatement) async throws -> [String] {
        let asked = sample.bound(RowValues(subjects: []), dialect: context.prepared.schema.dialect)
        return try await context.database.withConnection { try await $0.run(asked) }.rows.compactMap(\.first?.text)
    }
}
