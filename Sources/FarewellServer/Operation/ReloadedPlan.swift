// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// The plan that erasures are carried out by: read again when its file has changed, or on SIGHUP, and held against the
/// schema as it is by then.
///
/// What is under way ends by the plan it began with. A plan that cannot be worked by is told in the log, and the old
/// one stays.
struct ReloadedPlan: Service, CustomStringConvertible {
    private let path: String
    private let connecting: SystemConnecting
    private let engine: ErasureEngine
    private let environment: EngineEnvironment
    /// When the file was last written, before anybody looked.
    private let written: Date?

    /// How often the file is looked at.
    private static let interval = Duration.seconds(5)

    init(
        at path: String, connecting: @escaping SystemConnecting, engine: ErasureEngine, environment: EngineEnvironment
    ) {
        self.path = path
        self.connecting = connecting
        self.engine = engine
        self.environment = environment
        written = Self.lastWritten(path)
    }

    var description: String { "ReloadedPlan" }

    /// Watches the file until the server or worker stops.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await watchFile { wish.yield() } }
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { wish.yield() }
                }
                for await _ in wishes { await reload() }
            }
        }
    }

    /// Takes the plan and the schema as they are now.
    private func reload() async {
        do {
            let read = try NamedPlan(at: path, connecting: connecting)
            try await engine.adopt(read.plan, folder: read.folder, connectors: read.connectors)
            environment.log.notice("Plan reloaded")
        } catch {
            guard !Task.isCancelled else { return }
            let words = (error as? FarewellError)?.message ?? "It cannot be held against the database."
            environment.log.error("Plan not reloaded, the old one stays", metadata: ["why": "\(words)"])
        }
    }

    private func watchFile(_ change: @Sendable () -> Void) async {
        var seen = written
        while (try? await environment.sleep(Self.interval)) != nil {
            guard let now = Self.lastWritten(path), now != seen else { continue }
            seen = now
            change()
        }
    }

    private static func lastWritten(_ path: String) -> Date? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
    }
}
