// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

extension FarewellDevice {
    /// Whether this device can download the user's data: its provider supports that, and it has a `DataExportFolder`.
    public nonisolated var exportsData: Bool { provider is any DataExporting && exportFolder != nil }

    /// Requests an export of the signed-in user's data, waits for it, and downloads the archive.
    ///
    /// The archive is stored in the device's `DataExportFolder`, for this app only, and replaces an earlier one. It
    /// is removed by `removeExportedData`, and at every sign-out and deletion. The server's copy is removed once the
    /// archive is here.
    /// - Parameters:
    ///   - proof: The result of `confirmExport`, after an old sign-in.
    ///   - progress: Called with the server's progress, then with the number of received bytes.
    /// - Returns: The archive, `export.zip`.
    /// - Throws: `device.recent-sign-in-needed`; the errors of `FarewellError`'s `export…`, such as `exportLive` while
    ///   the user has another export; `device.offline`; `device.storage`. Nothing of an unfinished archive is left.
    public func exportData(
        proof: Token? = nil, progress: @escaping @Sendable (DataExport) -> Void = { _ in }
    ) async throws -> URL {
        let (exporting, folder) = try exportParts
        return try await alone {
            let begun = try await self.exported { session in
                try await exporting.requestExport(of: session, proof: proof)
            }
            return try await self.received(begun, exporting, folder, nil, progress)
        }
    }

    /// Waits for the user's newest export and downloads it: one that this device requested before it lost the
    /// connection or was closed, or one of another device.
    ///
    /// - Parameters:
    ///   - proof: The result of `confirmExport`, for an export of another device after an old sign-in.
    ///   - progress: As for `exportData`.
    /// - Throws: `FarewellError.exportGone` if there is none; otherwise as `exportData`.
    public func resumeExport(
        proof: Token? = nil, progress: @escaping @Sendable (DataExport) -> Void = { _ in }
    ) async throws -> URL {
        let (exporting, folder) = try exportParts
        return try await alone {
            let found = try await self.exported { session in try await exporting.dataExport(nil, of: session) }
            return try await self.received(found, exporting, folder, proof, progress)
        }
    }

    /// The downloaded archive; `nil` if there is none.
    public nonisolated var exportedData: URL? { exportFolder?.archive }

    /// Removes the downloaded archive.
    ///
    /// - Throws: `device.storage`.
    public func removeExportedData() throws { try exportFolder?.remove() }

    /// At launch, removes the remains of a download that ended with an earlier process.
    func removeUnfinishedExport() {
        guard exporting == nil, !environment.isExtension else { return }
        do { try exportFolder?.removeUnfinished() } catch { environment.log(.of(error)) }
    }

    // MARK: Steps

    private nonisolated var exportFolder: DataExportFolder? {
        wipe.groups.joined().lazy.compactMap { $0 as? DataExportFolder }.first
    }

    private var exportParts: (any DataExporting, DataExportFolder) {
        get throws {
            guard let exporting = provider as? any DataExporting, let folder = exportFolder else {
                throw FarewellError.exportsUnsupported
            }
            return (exporting, folder)
        }
    }

    /// One download at a time: a second call has the result of the first.
    private func alone(_ work: @escaping @Sendable () async throws -> URL) async throws -> URL {
        if let exporting { return try await exporting.value }
        let task = Task { try await work() }
        exporting = task
        defer { if exporting == task { exporting = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func exported<Result: Sendable>(
        _ call: @escaping @Sendable (DeviceSession) async throws -> Result
    ) async throws -> Result {
        do { return try await perform(call) } catch let failure as ProviderFailure { throw failure.error }
    }

    private func received(
        _ begun: DataExport, _ exporting: any DataExporting, _ folder: DataExportFolder, _ proof: Token?,
        _ progress: @escaping @Sendable (DataExport) -> Void
    ) async throws -> URL {
        let ready = try await ended(begun, exporting, progress)
        var tries = 0
        while true {
            do {
                let archive = try await download(ready, exporting, folder, proof, progress)
                // The archive has arrived. If the server's copy is not removed now, it expires.
                _ = try? await exported { session in try await exporting.removeExport(ready.id, of: session) }
                return archive
            } catch let error as FarewellError
                where error.family == .tryAgain && error.code != "device.storage" && tries < 2
            {
                tries += 1
                try await environment.sleep(RetryPolicy.calls.delay(afterFailures: tries))
            }
        }
    }

    /// Follows an export until it is ready. A few answers in a row may be lost.
    private func ended(
        _ begun: DataExport, _ exporting: any DataExporting, _ progress: @Sendable (DataExport) -> Void
    ) async throws -> DataExport {
        var export = begun
        var questions = 0
        var lost = 0
        while true {
            progress(export)
            switch export.state {
            case .ready: return export
            case .failed: throw Self.failure(export)
            case .waiting, .running: break
            }
            questions += 1
            try await environment.sleep(RetryPolicy.questions.delay(afterFailures: questions))
            do {
                let id = export.id
                export = try await exported { session in try await exporting.dataExport(id, of: session) }
                lost = 0
            } catch let error as FarewellError where error.family == .tryAgain && lost < 5 {
                lost += 1
            }
        }
    }

    private func download(
        _ export: DataExport, _ exporting: any DataExporting, _ folder: DataExportFolder, _ proof: Token?,
        _ progress: @escaping @Sendable (DataExport) -> Void
    ) async throws -> URL {
        do {
            let writing = try await exported { session in
                // Begun in the call, which a sign-out cancels before it clears the folder.
                try Task.checkCancellation()
                let writing = try folder.begin()
                try await exporting.archive(of: export, session, proof: proof) { piece in
                    var now = export
                    now.received = try writing.add(piece)
                    progress(now)
                }
                return writing
            }
            if let size = export.archiveBytes, size != writing.bytes { throw FarewellError.exportIncomplete }
            return try folder.finish(writing)
        } catch {
            do { try folder.remove() } catch { environment.log(.of(error)) }
            throw error
        }
    }

    private static func failure(_ export: DataExport) -> FarewellError {
        switch export.cause {
        case "export.too-large": .exportTooLarge
        case "export.nothing": .exportNothing
        default: .exportFailed
        }
    }
}
