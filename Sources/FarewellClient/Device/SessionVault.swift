// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The one record that all processes of the app share, and the rule for changing it: under a lock, and only by a
/// process that has seen its latest generation.
struct SessionVault: Sendable {
    let store: any TokenStore
    let lock: StateLock
    let environment: ClientEnvironment
    /// Notes in the folder that a record was written. A place that then reports that there is none is not believed: the
    /// Keychain says so for a moment before the first unlock.
    private let mark: StateFile

    init(_ store: any TokenStore, in folder: StateFolder, _ environment: ClientEnvironment) {
        self.store = store
        self.environment = environment
        mark = StateFile(folder: folder, file: "session.stored")
        lock = StateLock(folder, "session.lock")
    }

    /// Grows with every change, by any process.
    var changes: UInt64 { lock.changes }

    enum Reading: Sendable {
        case record(SessionRecord?)
        case unknown(FarewellError)
    }

    func read() -> Reading {
        switch store.read() {
        case .absent:
            switch mark.read() {
            case .absent: return .record(nil)
            case .present: return .unknown(.recordMissing)
            case .unknown(let error): return .unknown(error)
            }
        case .unknown(let error): return .unknown(error)
        case .present(let data):
            do {
                return .record(try SessionRecord(decoding: data))
            } catch {
                return .unknown(.of(error))
            }
        }
    }

    /// Whether there is a record that another installation, or the app of this extension, has sealed.
    var isForeign: Bool {
        if case .unknown(let error) = read() { error.code == FarewellError.recordForeign.code } else { false }
    }

    /// Changes the record under the lock: `decide` gets the present record and returns the new one, or nil to keep it.
    ///
    /// The generation is set here: one more than any before.
    /// - Throws: errors of the store, and `device.busy`; also read errors, because nothing is ever based on a record
    ///   that may exist.
    func change<Result>(
        _ decide: (SessionRecord?) throws -> (SessionRecord?, Result)
    ) async throws -> Result {
        try await lock.hold(environment) {
            guard case .record(let current) = read() else { throw unreadable }
            return try write(decide(current), over: current)
        }
    }

    /// Replaces the stored record, readable or not: a user has just signed in or out.
    func overwrite(_ make: (Int64) -> SessionRecord) async throws -> SessionRecord {
        try await lock.hold(environment) {
            var current: SessionRecord?
            if case .record(let found) = read() { current = found }
            let record = make((current?.generation ?? 0) + 1)
            return try write((record, record), over: current)
        }
    }

    /// Removes the record and all that was in it.
    func remove() async throws {
        try await lock.hold(environment) {
            lock.noteChange()
            // First the note: killed between the two, the record is still found.
            try mark.remove()
            try store.remove()
            lock.noteChange()
        }
    }

    private func write<Result>(_ decision: (SessionRecord?, Result), over current: SessionRecord?) throws -> Result {
        guard let record = decision.0 else { return decision.1 }
        guard record.generation == (current?.generation ?? 0) + 1 else {
            throw FarewellError("device.generation", .ours, "A record was written in the wrong order.")
        }
        lock.noteChange()
        try store.write(try record.encoded())
        // Without the note the record is as good; only a place that errs is then believed.
        if case .absent = mark.read() { try? mark.write(Data()) }
        lock.noteChange()
        return decision.1
    }

    private var unreadable: FarewellError {
        guard case .unknown(let error) = read() else {
            return FarewellError("device.storage", .tryAgain, "The token store is temporarily unreadable.")
        }
        return error
    }
}
