// SPDX-License-Identifier: Apache-2.0
import DequeModule
import Farewell

/// Statements that are sent to the server together, and the results so far.
struct PostgreSQLOperation: Sendable {
    /// Receives the result of statements, once.
    typealias Answer = @Sendable (Result<[ServerResult], any Error>) -> Void

    /// The number of statements whose results are delivered before those of the others.
    struct Milestone: Sendable {
        let statements: Int
        let answer: Answer
    }

    /// A command sent to the server whose answer is awaited.
    enum Step: Sendable {
        case giveUp(String)
        /// The end of the statements that were given up before the operation's own.
        case givenUp
        case prepare(StatementCache.Key, name: String)
        case execute(Int)
        /// A command of our own, whose answer is discarded.
        case aside
        /// Our settings for a transaction on a pooler's session.
        case settings
        case synchronise
    }

    enum Cancellation: Sendable { case none, running, done }

    enum Phase: Sendable {
        case running
        /// The statements failed inside a transaction they began themselves; it is being rolled back.
        case rollingBack
        /// Answered, but a request to cancel is still on its way and must not hit the next operation.
        case answered
    }

    let id: Int
    let statements: [PostgreSQLParameters]
    let answer: Answer
    /// `nil` if no caller waits for one, and when it is passed.
    var milestone: Milestone?
    private(set) var hasPassedMilestone = false
    /// The lease under which it was requested; `nil` for the connection's own housekeeping.
    let lease: Int?
    var phase = Phase.running
    var cancellation = Cancellation.none
    /// Whether no transaction was open as it began.
    var beganIdle = true {
        didSet { hasSettings = !beganIdle }
    }
    /// Whether the transaction that is open where the next statement is sent has our settings.
    private var hasSettings = false
    var next = 0
    var isSynchronised = false
    var steps: Deque<Step> = []
    /// Whether the step at the head has answered and only its end is awaited.
    var headAnswered = false
    var results: [ServerResult] = []
    var failure: FarewellError?
    var isStale = false
    var attempts = 1

    init(
        id: Int, statements: [PostgreSQLParameters], lease: Int?, milestone: Milestone? = nil,
        answer: @escaping Answer
    ) {
        self.id = id
        self.statements = statements
        self.lease = lease
        self.milestone = milestone
        self.answer = answer
    }

    /// Whether the server is to send what it has now.
    var isAtMilestone: Bool { next == milestone?.statements }

    /// The milestone, once its results have arrived.
    mutating func passMilestone() -> Milestone? {
        guard failure == nil, let milestone, results.count == milestone.statements else { return nil }
        self.milestone = nil
        hasPassedMilestone = true
        return milestone
    }

    /// All pending answers.
    var waiting: [Answer] { [milestone?.answer, answer].compactMap(\.self) }

    /// Whether our settings go before a statement: a transaction that no `BEGIN` begins has none yet.
    mutating func needsSettings(before verb: SQLVerb) -> Bool {
        switch verb {
        // The end of a transaction needs none, and a statement that cannot run in a transaction must come first.
        case .begin, .commit, .rollback, .control, .forget: return false
        // `CREATE DATABASE` and its like, which return nothing.
        case .other where statements.count == 1: return false
        case .query, .change, .other: break
        }
        defer { hasSettings = true }
        return !hasSettings
    }

    /// Whether our settings go after a statement, as the first of the transaction that it begins.
    mutating func needsSettings(after verb: SQLVerb) -> Bool {
        switch verb {
        case .begin: hasSettings = true
        case .commit, .rollback: hasSettings = false
        case .query, .change, .control, .forget, .other: break
        }
        return verb == .begin
    }

    /// Begins again from the first statement, after the server's plans proved stale.
    mutating func startOver() {
        phase = .running
        hasSettings = !beganIdle
        next = 0
        isSynchronised = false
        headAnswered = false
        results = []
        failure = nil
        isStale = false
        attempts += 1
    }

    /// A stale plan may be replaced by starting over if nothing of this operation can have taken effect.
    var mayStartOver: Bool {
        isStale && beganIdle && attempts < 3 && cancellation == .none && !hasPassedMilestone
            && !statements.prefix(results.count).contains { $0.verb == .commit }
    }

    /// Whether a commit was sent and its answer is pending.
    var isCommitPending: Bool {
        next > results.count && statements[results.count..<next].contains { $0.verb == .commit }
    }

    /// The text of the statement whose answer is awaited.
    var textOfHead: String? {
        switch steps.first {
        case .prepare(let key, _): key.text.text
        case .execute(let index): statements[index].text
        default: nil
        }
    }

    /// The part of a pooler, or of a setting that it requires in each transaction, in a failure.
    func causeInPooling(_ failure: PostgreSQLFailure) -> FarewellError? {
        switch steps.first {
        case .settings where failure.state == "42501": PostgreSQLLink.replicaRole
        // The name is the connection's own: another connection has used this session.
        case .prepare(_, let name) where failure.state == "42P05" && !name.isEmpty: PostgreSQLLink.undetectedPooler
        default: nil
        }
    }
}
