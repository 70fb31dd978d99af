// SPDX-License-Identifier: Apache-2.0
import CLibPQ
import DequeModule
import Farewell

/// The conversation with the server: the current operation, the waiting ones, the prepared statements.
///
/// It is behind a lock and never waits. The caller performs the returned effects afterwards. The connection is always
/// in pipeline mode: one statement is a pipeline of one.
struct PostgreSQLLink: Sendable {
    let server: ServerHandle
    private(set) var lost: FarewellError?
    private(set) var lease = 0
    /// `DISCARD` or `RESET` may have taken the session's settings away.
    private(set) var hasForgottenSettings = false
    /// The server took no writes. Another connection may find one that does.
    var hasRefusedWrites = false
    private var current: PostgreSQLOperation?
    private var queue: Deque<PostgreSQLOperation> = []
    private var cache = StatementCache(limit: 0)
    private let preparedStatements: Int
    private(set) var session = SessionOwnership.unknown
    /// The reason why the open transaction has failed. Every later statement in it fails for this reason.
    private var transactionFailure: FarewellError?
    /// Whether something waits to be sent until the socket takes it.
    private(set) var isWriting = false
    /// How often something was heard of the server.
    private var heard = 0
    /// Whether part of the output is lost: the server waits for it without a report.
    private var isCutOff = false

    init(server: ServerHandle, preparedStatements: Int) {
        self.server = server
        self.preparedStatements = preparedStatements
    }

    var isIdle: Bool { current == nil && queue.isEmpty }
    var transactionIsOpen: Bool { lost == nil && server.transaction != PQTRANS_IDLE }

    mutating func changeLease() -> Int {
        lease += 1
        return lease
    }

    /// The session is known, and set up if it is ours.
    mutating func begin(_ session: SessionOwnership) {
        hasForgottenSettings = false
        if case .unknown = self.session, case .own = session { cache = StatementCache(limit: preparedStatements) }
        self.session = session
    }

    // Events

    mutating func submit(_ operation: PostgreSQLOperation) -> [Effect] {
        if let lost { return Self.fail(operation, lost) }
        if let asked = operation.lease, asked != lease { return Self.fail(operation, Self.returned) }
        queue.append(operation)
        return startNext()
    }

    mutating func socketIsReady(isReadable: Bool, isWritable: Bool) -> [Effect] {
        guard lost == nil else { return [] }
        var effects: [Effect] = []
        if isWritable {
            effects += send()
        } else if isWriting {
            // libpq sends before it reads, and hides the result.
            effects += flush()
            if lost == nil, !isWriting { effects += send() }
        }
        if isReadable, lost == nil {
            heard += 1
            let isAlive = PQconsumeInput(server.pointer) == 1
            effects += receive()
            if lost == nil, !isAlive || server.isDown { effects += lose(Self.lostError(server.message)) }
        }
        return effects
    }

    mutating func cancel(_ id: Int) -> [Effect] {
        if let index = queue.firstIndex(where: { $0.id == id }) {
            return Self.fail(queue.remove(at: index), CancellationError())
        }
        guard let operation = current, operation.id == id, operation.phase == .running,
            operation.cancellation == .none
        else { return [] }
        current?.cancellation = .running
        return [.askToCancel(operation: id)] + send()
    }

    mutating func cancelRequestEnded(_ id: Int) -> [Effect] {
        guard current?.id == id else { return [] }
        current?.cancellation = .done
        return current?.phase == .answered ? complete() : []
    }

    /// Whether to send it once more: a request that reaches the server before the statement itself stops nothing.
    mutating func asksAgain(_ id: Int) -> Bool {
        guard let operation = current, operation.id == id, operation.phase == .running else { return false }
        current?.cancellation = .running
        return true
    }

    func awaited(by id: Int) -> Awaited {
        if current?.id == id { return .answer(heard: heard) }
        return queue.contains { $0.id == id } ? .turn : .nothing
    }

    /// Gives the connection up, if the server stayed silent.
    mutating func giveUp(_ id: Int, _ awaited: Awaited) -> [Effect] {
        guard case .answer = awaited, self.awaited(by: id) == awaited else { return [] }
        return lose(Self.silent)
    }

    mutating func lose(_ reason: FarewellError) -> [Effect] {
        guard lost == nil else { return [] }
        lost = reason
        var effects: [Effect] = []
        if let operation = current {
            effects += Self.fail(operation, operation.isCommitPending ? Self.commitUnknown : reason)
        }
        effects += queue.flatMap { Self.fail($0, reason) }
        current = nil
        queue = []
        return effects + [.finish(server, reason)]
    }

    // Sending

    private mutating func startNext() -> [Effect] {
        guard current == nil, var operation = queue.popFirst() else { return [] }
        operation.beganIdle = server.transaction == PQTRANS_IDLE
        giveUpUnused(before: &operation)
        current = operation
        return send()
    }

    /// Releases unneeded statements, apart from the operation's own: whether that fails or not says nothing about them.
    private mutating func giveUpUnused(before operation: inout PostgreSQLOperation) {
        guard operation.beganIdle else { return }
        cache.makeRoom(for: operation.statements.map(\.key), atMost: operation.statements.count)
        let doomed = cache.takeDoomed()
        guard !doomed.isEmpty else { return }
        for name in doomed {
            put { PQsendQueryParams($0, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 0) }
            operation.steps.append(.giveUp(name))
        }
        put { PQpipelineSync($0) }
        operation.steps.append(.givenUp)
    }

    /// Sends as much as the socket takes.
    private mutating func send() -> [Effect] {
        var effects = sendSome()
        // The server may have read everything since the socket was full. Then no event of the socket would follow.
        while lost == nil, !isCutOff, !isWriting, current?.isSynchronised == false { effects += sendSome() }
        return effects
    }

    /// Sends statements until the socket is full. Between statements the outgoing buffer is flushed now and then, so
    /// that a pipeline of any length needs little memory and never waits for a server that waits for us.
    private mutating func sendSome() -> [Effect] {
        guard var operation = current else { return flush() }
        let isBeingSent = !operation.isSynchronised
        let before = server.written
        var sinceFlush = 0
        while !operation.isSynchronised, !isCutOff {
            if operation.cancellation != .none, operation.next < operation.statements.count {
                abandonRest(of: &operation)
            } else if operation.next < operation.statements.count {
                sendStatement(&operation)
            } else {
                synchronise(&operation)
                break
            }
            sinceFlush += 1
            if sinceFlush % 32 == 0, pushed() != 0 { break }
        }
        current = operation
        let effects = flush()
        guard isBeingSent, lost == nil, !isWriting, let before, let after = server.written, after <= before else {
            return effects
        }
        isCutOff = true
        return effects + flush()
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: 1 while more is left, 0 when nothing is, and less if it cannot be sent.
    private mutating func pushed() -> Int32 {
        let (remaining, isLost) = server.sending(server.flush)
        if isLost { isCutOff = true }
        return isCutOff ? -1 : remaining
    }

    /// Has libpq take a message, or several, to be sent.
    private mutating func put(_ message: (OpaquePointer?) -> Int32) {
        let (isTaken, isLost) = server.sending(message)
        if isTaken == 0 || isLost { isCutOff = true }
    }

    private mutating func flush() -> [Effect] {
        let remaining = pushed()
        if remaining < 0 || server.isDown {
            // The server's last words, such as why it ended the connection, may be in already; and after them its end.
            for _ in 1...2 { _ = PQconsumeInput(server.pointer) }
            let effects = receive()
            return effects + lose(isCutOff && !server.isDown ? Self.unsent : Self.lostError(server.message))
        }
        guard (remaining == 1) != isWriting else { return [] }
        isWriting = remaining == 1
        return [.watchWriting]
    }

    private mutating func sendStatement(_ operation: inout PostgreSQLOperation) {
        let statement = operation.statements[operation.next]
        if statement.verb == .forget {
            cache.forgetAll()
            if case .own = session { hasForgottenSettings = true }
        }
        if operation.needsSettings(before: statement.verb) { sendSettings(&operation) }
        let name: String
        switch cache.plan(statement.key) {
        case .prepared(let known): name = known
        case .prepare(let new):
            name = new
            put { PQsendPrepare($0, name, statement.text, Int32(statement.types.count), statement.types) }
            operation.steps.append(.prepare(statement.key, name: name))
        }
        put { pointer in
            statement.withValues { count, values, lengths, formats in
                PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 0)
            }
        }
        operation.steps.append(.execute(operation.next))
        operation.next += 1
        if operation.needsSettings(after: statement.verb) { sendSettings(&operation) }
        if operation.isAtMilestone { put { PQsendFlushRequest($0) } }
    }

    /// A pooler's session gets ours for a transaction.
    private mutating func sendSettings(_ operation: inout PostgreSQLOperation) {
        guard case .shared(let settings) = session else { return }
        put { pointer in
            settings.withValues { count, values, lengths, formats in
                PQsendQueryParams(pointer, settings.text, count, settings.types, values, lengths, formats, 0)
            }
        }
        operation.steps.append(.settings)
    }

    private mutating func synchronise(_ operation: inout PostgreSQLOperation) {
        put { PQpipelineSync($0) }
        operation.steps.append(.synchronise)
        operation.isSynchronised = true
    }

    /// Cancelled half-way: the end of the pipeline must not commit the statements already sent. A text that is no SQL
    /// fails it, in any state of the transaction.
    private mutating func abandonRest(of operation: inout PostgreSQLOperation) {
        put { PQsendQueryParams($0, "cancelled", 0, nil, nil, nil, nil, 0) }
        operation.steps.append(.aside)
        operation.failure = operation.failure ?? Self.abandoned
        synchronise(&operation)
    }

    // Receiving

    private mutating func receive() -> [Effect] {
        var effects: [Effect] = []
        var emptyAnswers = 0
        while lost == nil, PQisBusy(server.pointer) == 0 {
            effects += takeNotifications()
            guard current != nil, current?.phase != .answered else { break }
            guard let pointer = PQgetResult(server.pointer) else {
                emptyAnswers += 1
                if current?.headAnswered == true {
                    // There is none left if a server reports more than one error while only the end is awaited.
                    _ = current?.steps.popFirst()
                    current?.headAnswered = false
                } else if emptyAnswers > 2 {
                    break
                }
                continue
            }
            emptyAnswers = 0
            effects += take(ServerResult(pointer))
        }
        return effects
    }

    private mutating func take(_ result: ServerResult) -> [Effect] {
        switch result.status {
        case PGRES_PIPELINE_SYNC:
            if case .givenUp = current?.steps.first {
                _ = current?.steps.popFirst()
                return []
            }
            current?.steps.removeAll()
            return finishOperation()
        case PGRES_PIPELINE_ABORTED:
            undoHead(nil)
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            let failure = PostgreSQLFailure(result, statement: current?.textOfHead)
            if failure.isStatementPooling { return lose(Self.statementPooler) }
            if server.isDown { return lose(Self.lostError(server.message, state: failure.state)) }
            undoHead(failure)
            note(failure)
            if failure.isReadOnly { hasRefusedWrites = true }
        default:
            accept(result)
        }
        current?.headAnswered = true
        guard let milestone = current?.passMilestone() else { return [] }
        return [.tell(milestone.answer, .success(current?.results ?? []))]
    }

    /// The first failure counts, and none of a command of our own.
    private mutating func note(_ failure: PostgreSQLFailure) {
        switch current?.steps.first {
        case .aside, .giveUp: return
        default: break
        }
        guard current?.failure == nil || current?.failure == Self.abandoned else { return }
        if let cause = current?.causeInPooling(failure) {
            current?.failure = cause
            return
        }
        current?.isStale = failure.isStalePlan
        if failure.state == "25P02", let cause = transactionFailure {
            current?.failure = cause
        } else {
            current?.failure = failure.isStalePlan ? Self.stalePlan : failure.error
        }
    }

    private mutating func accept(_ result: ServerResult) {
        guard let operation = current, case .execute(let index) = operation.steps.first else { return }
        current?.results.append(result)
        // A transaction that failed before is rolled back by COMMIT, and says so only in the tag.
        if operation.statements[index].verb == .commit, result.tag == "ROLLBACK", operation.failure == nil {
            current?.failure = transactionFailure ?? Self.commitRolledBack
        }
    }

    /// The step at the head failed or was skipped: the server does not hold what it was to make.
    private mutating func undoHead(_ failure: PostgreSQLFailure?) {
        switch current?.steps.first {
        case .prepare(let key, let name): cache.forget(key, preparedAs: name)
        // Unless the server does not know it: then there is nothing to give up.
        case .giveUp(let name): if failure?.state != "26000" { cache.keep(doomed: name) }
        case .execute(let index):
            guard let failure, failure.isStalePlan, let key = current?.statements[index].key else { return }
            if failure.state == "26000" { cache.forgetAll() } else { cache.forget(key, serverHoldsIt: true) }
        case .aside, .settings, .givenUp, .synchronise, nil: break
        }
    }

    private mutating func finishOperation() -> [Effect] {
        guard let operation = current else { return [] }
        if operation.failure != nil, operation.beganIdle, server.transaction != PQTRANS_IDLE,
            operation.phase == .running
        {
            return rollBack()
        }
        if operation.mayStartOver {
            var again = operation
            again.startOver()
            giveUpUnused(before: &again)
            current = again
            return send()
        }
        return complete()
    }

    private mutating func rollBack() -> [Effect] {
        current?.phase = .rollingBack
        put { PQsendQueryParams($0, "ROLLBACK", 0, nil, nil, nil, nil, 0) }
        put { PQpipelineSync($0) }
        current?.steps = [.aside, .synchronise]
        current?.headAnswered = false
        return flush()
    }

    private mutating func complete() -> [Effect] {
        guard let operation = current else { return [] }
        if operation.cancellation == .running {
            current?.phase = .answered
            return []
        }
        transactionFailure =
            server.transaction == PQTRANS_INERROR ? transactionFailure ?? operation.failure : nil
        current = nil
        return Self.outcome(operation) + startNext()
    }
}
