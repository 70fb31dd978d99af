// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import FarewellSessions
import FarewellVerifier
import Foundation
import Logging
import ServiceLifecycle

/// Everything that accepts and performs erasures, opened: engine, requests, workers, and receivers of events.
struct ErasureAssembly: Sendable {
    let engine: ErasureEngine
    let requests: ErasureRequests
    let serving: ErasureServing
    let workers: ErasureWorkers
    /// The services that run beside the workers.
    let services: [any Service]
    /// The plan's database, if it is not the server's own.
    let ownDatabase: (any SQLDatabase)?

    /// Opens it on the plan's database.
    ///
    /// - Parameters:
    ///   - receivers: The receivers of events; nil if the settings name no file of receivers.
    ///   - connecting: Makes the connectors anew when the plan's file is read again.
    static func open(
        _ settings: ServeSettings, receivers: [EventReceiver]?, plan: NamedPlan, authority: SessionAuthority,
        database shared: any SQLDatabase, connecting: @escaping SystemConnecting, environment: EngineEnvironment
    ) async throws -> ErasureAssembly {
        let erasures = settings.erasures
        let foreign = try erasures.trusted()
        let delivery = try await Self.delivery(to: receivers, settings, environment)
        let own = try erasures.database.map {
            try openDatabase($0, postgresql: settings.connectingToPlanned(.ofServices))
        }
        do {
            let engine = try await ErasureEngine.openTolerantly(
                own ?? shared, plan: plan.plan, folder: plan.folder, state: settings.state, lease: erasures.lease,
                connectors: plan.connectors, environment: environment)
            if let unfit = engine.unfit { ReloadedPlan.report(unfit, in: environment.log) }
            var rules = erasures.rules
            rules.secondLook = erasures.secondLook ?? settings.secondLook(after: foreign)
            // SQLite has one writer at a time, and scrubbing its file takes all of it.
            if !engine.dialect.takesSeveralWriters { rules.concurrency = min(rules.concurrency, 1) }
            let signals = WakeSignals()
            let removal = AccountRemoval(authority: authority, others: delivery, isApart: own != nil)
            var requests = ErasureRequests(engine, rules: rules, signals: signals)
            let exports = try await Self.exports(engine, requests, settings, environment)
            var closing: any SubjectClosing = removal
            if let exports { closing = ExportClosing(exports, then: removal) }
            let scan: DeepScanExtent = erasures.deepScan == 0 ? .none : .bounded(rows: erasures.deepScan)
            let workers = ErasureWorkers(
                engine, rules: rules, options: ErasureOptions(deepScan: scan), closing: closing,
                delivery: removal, signals: signals)
            requests.handover = workers.handover
            let verifier = foreign.isEmpty ? nil : try VerifierService(trusting: foreign, log: environment.log)
            let apple = try AppleEvents.prepared(
                settings, requests: requests, authority: authority, log: environment.log)
            let serving = ErasureServing(
                requests, engine: engine, foreign: verifier?.verifier,
                wait: min(erasures.wait, max(settings.server.limits.requestTimeout - 1, 1)),
                systems: erasures.systems,
                appleEvents: apple?.events, eventKey: delivery?.signer?.publicKey, accounts: removal,
                exports: exports)
            let deliverer = Self.deliverer(by: delivery, of: authority, engine)
            // New readers begin with sessions that end from now on, before any request arrives.
            try await deliverer?.enter()
            let services: [(any Service)?] = [
                verifier.map { QuietService($0) }, apple.map { QuietService($0.service) },
                exports.map { ExportDuties($0) }, delivery.map { EventDeliveryClosing(delivery: $0) },
                deliverer.map { RevocationDelivery(deliverer: $0) },
                ReloadedPlan(
                    at: plan.path, connecting: connecting, engine: engine, requests: requests,
                    environment: environment),
            ]
            return ErasureAssembly(
                engine: engine, requests: requests, serving: serving, workers: workers,
                services: services.compactMap(\.self), ownDatabase: own)
        } catch {
            await own?.close()
            throw error
        }
    }

    /// Exports for users, where they are offered. Removes the remains of a killed process.
    private static func exports(
        _ engine: ErasureEngine, _ requests: ErasureRequests, _ settings: ServeSettings,
        _ environment: EngineEnvironment
    ) async throws -> ExportRequests? {
        do {
            try await ExportRequests.removeLeftovers(in: settings.state)
        } catch {
            let code = FarewellError.code(of: error)
            environment.log.error("Exports of a killed process cannot be removed.", metadata: ["cause": "\(code)"])
        }
        guard settings.export.offering == .offered else { return nil }
        return try await ExportRequests.open(
            engine, erasures: requests, state: settings.state, rules: settings.export.rules)
    }

    /// Refuses a plan that no engine can be opened with in a database of its own, and keys that are not the database's.
    /// Accepts a plan that does not fit the database: the affected erasures wait. Creates nothing.
    ///
    /// - Throws: what `refuseUnworkable` throws, `keys.…`, or what the database throws.
    static func refuseUnworkable(_ plan: NamedPlan?, at address: String?, _ settings: ServeSettings) async throws {
        guard let plan, let address else { return }
        let database = try openDatabase(address, postgresql: settings.connectingToPlanned(PostgreSQLConfiguration()))
        do {
            try await refuseUnworkable(plan, in: database)
            try await ErasureEngine.refuseOtherKeys(in: database, state: settings.state)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Refuses a plan without the connectors that it names, or a control store that a newer binary has made. Makes
    /// nothing.
    ///
    /// - Throws: `plan.no-connector`, `control.newer`.
    static func refuseUnworkable(_ plan: NamedPlan, in database: any SQLDatabase) async throws {
        try await ErasureEngine.refuseUnworkable(plan.plan, connectors: plan.connectors, in: database)
    }

    /// Tells receivers of events; tokens are signed with a key in the state directory, made when one of them first
    /// gets any.
    private static func delivery(
        to receivers: [EventReceiver]?, _ settings: ServeSettings, _ environment: EngineEnvironment
    ) async throws -> HTTPEventDelivery? {
        guard let receivers else { return nil }
        var signer: EventSigner?
        if receivers.contains(where: { $0.kind != .webhook }) {
            signer = try await BlockingWork.run { try EventSigner.prepared(settings) }
        }
        return HTTPEventDelivery(receivers: receivers, signer: signer, now: environment.now, sleep: environment.sleep)
    }

    /// Reports ended sessions to receivers, if there are any.
    private static func deliverer(
        by delivery: HTTPEventDelivery?, of authority: SessionAuthority, _ engine: ErasureEngine
    ) -> RevocationDeliverer? {
        guard let delivery, !delivery.readers.isEmpty else { return nil }
        return RevocationDeliverer(authority, engine: engine, delivery: delivery)
    }
}

/// Closes the delivery's connections when everything ends.
private struct EventDeliveryClosing: Service, CustomStringConvertible {
    let delivery: HTTPEventDelivery

    var description: String { "EventDeliveryClosing" }

    func run() async throws {
        let (untilCancelled, end) = AsyncStream.makeStream(of: Void.self)
        await cancelWhenGracefulShutdown {
            for await _ in untilCancelled {}
        }
        end.finish()
        try await delivery.close()
    }
}

/// A service with an empty description, because a log names each service.
private struct QuietService: Service, CustomStringConvertible {
    let service: any Service

    init(_ service: any Service) { self.service = service }

    var description: String { "QuietService" }

    func run() async throws { try await service.run() }
}
