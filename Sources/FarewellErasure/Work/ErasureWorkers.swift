// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// The workers: claim and complete requested erasures, and do the background duties.
///
/// Any number of processes may work on one PostgreSQL. After a kill, another one takes over; a worker that slept too
/// long has lost its lease and can change nothing.
public struct ErasureWorkers: Sendable {
    let engine: ErasureEngine
    let rules: ServiceRules
    let options: ErasureOptions
    let closing: any SubjectClosing
    let signals: WakeSignals
    let delivery: (any EventDelivery)?
    private let state = Guarded(Stopping.no)
    /// Takes the erasures that requests of this process hand over.
    package let handover: Handover
    /// Signalled when claiming stops; idle workers end.
    let stops = WakeSignal()

    private enum Stopping: Sendable { case no, yes }

    /// - Parameters:
    ///   - options: How erasures are performed; small accounts are erased together as `rules.batch` says.
    ///   - closing: Ends users' sessions.
    ///   - delivery: Delivers events; `nil` if there are no receivers.
    ///   - signals: The signals of the requests, if they are in the same process.
    public init(
        _ engine: ErasureEngine, rules: ServiceRules = ServiceRules(), options: ErasureOptions = ErasureOptions(),
        closing: any SubjectClosing = NoSessions(), delivery: (any EventDelivery)? = nil,
        signals: WakeSignals = WakeSignals()
    ) {
        self.engine = engine
        self.rules = rules
        self.options = options
        self.closing = closing
        self.delivery = delivery
        self.signals = signals
        // SQLite has one writer at a time, and the worker is that writer. Many places would take the connections that
        // renew leases.
        let places = engine.database.dialect.takesSeveralWriters ? min(rules.concurrency, 4) : 0
        handover = Handover(places: places, options: options)
    }

    var isStopping: Bool { state.withLock { $0 == .yes } }

    /// Stops claiming. Running work ends; `run` returns then.
    public func stop() {
        state.withLock { $0 = .yes }
        handover.close()
        signals.work.wake()
        stops.wake()
    }

    /// Works until `stop` is called, or until the task is cancelled: then what is being worked on is handed back.
    ///
    /// - Parameter observe: Receives every recorded transition of every erasure.
    public func run(observe: @escaping ErasureObserver = { _ in }) async {
        // True says that the workers have ended: the duties, which only ever look, are ended with them.
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await withTaskGroup(of: Void.self) { workers in
                    for _ in 0..<rules.concurrency { workers.addTask { await work(observe) } }
                    workers.addTask { await workForRequests(observe) }
                    for share in rescues {
                        workers.addTask { await Rescuer(workers: self, observe: observe, share: share).run() }
                    }
                }
                return true
            }
            for duty in duties {
                group.addTask {
                    await look(after: duty)
                    return false
                }
            }
            if let database = engine.database as? PostgreSQLDatabase {
                for (channel, signal) in [
                    (ControlStore.workChannel, signals.work), (ControlStore.endChannel, signals.ends),
                ] {
                    group.addTask {
                        await listen(to: database, on: channel, signal)
                        return false
                    }
                }
            }
            while let isOver = await group.next(), !isOver {}
            group.cancelAll()
        }
    }

    /// Carries out what requests of this process hand over.
    private func workForRequests(_ observe: @escaping ErasureObserver) async {
        let erasing: Handover.Erasing = { await batch(observe).erase($0) }
        // Where sessions end in another database, erasures must be accepted before.
        let endsSessions = await closing.closing([]) != nil
        await handover.run({ await batch(observe).carryOut(handed: $0) }, erasing: endsSessions ? erasing : nil)
    }

    /// The share of each rescuer. SQLite has one writer at a time: concurrent rescuers would block each other.
    private var rescues: [Rescuer.Share] {
        guard engine.database.dialect.takesSeveralWriters else { return [.everything] }
        return [.suspected] + Array(repeating: .unsuspected, count: rules.concurrency)
    }

    /// A batch under the plan of now, which may be another one by the next.
    func batch(_ observe: @escaping ErasureObserver) -> ErasureBatch {
        var context = engine.context(options, observe)
        context.hasWorkers = true
        return ErasureBatch(context: context, rules: rules, closing: closing, signals: signals)
    }

    // MARK: One worker

    /// Claims and erases, again and again.
    private func work(_ observe: @escaping ErasureObserver) async {
        let wakes = WakeStream(signals.work.wakes, every: .seconds(rules.poll), sleep: engine.environment.sleep)
        for await _ in wakes.stream {
            var ended: ErasureBatch.Ended?
            while !isStopping, !Task.isCancelled {
                let (plan, before) = (engine.prepared.planFingerprint, ended)
                async let concluding: Void? = before?.conclude()
                ended = await carriedOut(under: plan, observe)
                await concluding
                if ended == nil { break }
            }
            await ended?.conclude()
            if isStopping || Task.isCancelled { return }
        }
    }

    /// Claims and erases once; `nil` if nothing could be claimed.
    private func carriedOut(under plan: String, _ observe: @escaping ErasureObserver) async -> ErasureBatch.Ended? {
        guard let claimed = await claimed(under: plan), !claimed.isEmpty else { return nil }
        let batch = batch(observe)
        return await batch.carriedOut(await batch.permitted(claimed, under: plan))
    }

    /// The ready erasures, claimed; `nil` if the database does not answer.
    ///
    /// - Parameter plan: The fingerprint of the plan to claim them under; `nil` for that of now.
    func claimed(under plan: String? = nil) async -> [ErasureRecord]? {
        do {
            let control = engine.control
            let most = rules.batch ?? engine.prepared.groupSize(sideBySide: true)
            // If that is unknown, erasures without a grace period are claimed all the same.
            let endsGrace = (try? await engine.clock.mayDecide()) ?? false
            if !endsGrace, engine.prepared.plan.countsFromErasure { return [] }
            let claiming = control.leases.claiming(
                limit: most, owner: engine.environment.owner, under: plan ?? engine.prepared.planFingerprint,
                endsGrace: endsGrace)
            let leavesWaiting = engine.context(options).canLeaveWaiting
            return try await control.leases.claim(claiming, leavesWaiting: leavesWaiting, in: engine.database)
        } catch {
            await complain("Looking for work", error)
            return nil
        }
    }

    func complain(_ what: String, _ error: any Error) async {
        guard !Task.isCancelled else { return }
        engine.environment.log.warning("\(what) failed.", metadata: ["code": "\(FarewellError.code(of: error))"])
    }

    /// The same for work that is repeated: the log has each cause once a minute.
    func complain(_ what: String, _ error: any Error, unlessKnown failure: inout RepeatedFailure) async {
        let code = FarewellError.code(of: error)
        guard !Task.isCancelled, failure.isWorthALine(code, at: engine.environment.uptime()) else { return }
        await complain(what, error)
    }

    private func listen(
        to database: PostgreSQLDatabase, on channel: String, _ signal: WakeSignal
    ) async {
        repeat {
            do {
                for try await message in database.notifications(on: channel) {
                    if let erasures = ControlStore.announced(in: message.payload) {
                        signal.wake(about: erasures)
                    } else {
                        signal.wake()
                    }
                }
            } catch {
                await complain("Listening", error)
            }
        } while (try? await engine.environment.sleep(.seconds(5))) != nil
    }
}
