// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A redaction job of Stripe ("Redaction jobs", a preview): created, validated, run, awaited.
///
/// The run stores the job's identifier before anything else is done, and the calls that create and run it carry the
/// same key each time, so that another worker continues with the same job after a kill.
struct StripeRedaction: Sendable {
    let rest: RESTCaller
    let now: @Sendable () -> Double

    private static let jobs = "/v1/privacy/redaction_jobs"
    private static let permission = "Redaction jobs: write"
    /// After such a pause an operator has released the parked step: a failed job is validated again.
    private static let absence = 600.0
    /// The number of questions within a few seconds before a pause of an hour.
    private static let questions = 12

    /// The stored facts about a job.
    struct Job: Sendable, Hashable, Codable {
        var id: String
        /// The time of the last question, in seconds since 1970.
        var seen: Double
        var questions = 0
    }

    enum Pause: Sendable, Hashable {
        case seconds(Double)
        /// Seconds since 1970.
        case rest(until: Double)
    }

    /// Brings the job a step further, creating it if there is none.
    ///
    /// - Returns: The job, and the time of the next question; none when it is done.
    /// - Throws: `ConnectorFault.refused` with the codes of the obstacles to the redaction.
    func advance(_ job: Job?, _ customer: String, _ key: String) async throws -> (job: Job, pause: Pause?) {
        guard var job else {
            let made = try await told(
                "", .form([("objects[customers][0]", customer), ("validation_behavior", "error")]),
                key: "\(key)/redaction", isFirst: true)
            return (Job(id: made.id, seen: now()), .seconds(1))
        }
        let isBack = now() - job.seen > Self.absence
        job.seen = now()
        job.questions += 1
        switch try await status(of: job) {
        case "succeeded": return (job, nil)
        case "ready":
            // Stripe repeats a refusal to the same key; the job's state shows whether it runs already.
            let again = isBack ? "/\(Int(job.seen))" : ""
            _ = try await told("/\(try rest.part(job.id))/run", .form([]), key: "\(key)/redaction/run\(again)")
            job.questions = 0
            return (job, .seconds(1))
        case "failed" where isBack:
            _ = try await told(
                "/\(try rest.part(job.id))/validate", .form([]), key: "\(key)/redaction/\(Int(job.seen))")
            job.questions = 0
            return (job, .seconds(1))
        case "failed": throw try await refusal(job)
        case "created", "validating", "redacting":
            return (job, job.questions < Self.questions ? .seconds(5) : .rest(until: now() + 3_600))
        default: throw ConnectorFault.refused(rest.system, "its redaction job was cancelled there").anew
        }
    }

    /// - Throws: `ConnectorFault.refused` for a job that Stripe does not know. Like a cancelled one it cannot be used
    ///   again, and another job is created once the erasure is released.
    private func status(of job: Job) async throws -> String {
        let reply = try await rest.ask(
            "GET", "\(Self.jobs)/\(try rest.part(job.id))", answers: [404], permission: Self.permission)
        guard reply.status == 404 else { return try told(try reply.json(from: rest.system)).status }
        guard rest.line(reply).outcome == .absent else { throw rest.fault(reply, needs: Self.permission) }
        throw ConnectorFault.refused(rest.system, "it does not know its redaction job any more").anew
    }

    private func refusal(_ job: Job) async throws -> ConnectorFault {
        let found = try await rest.object(
            "GET", "\(Self.jobs)/\(try rest.part(job.id))/validation_errors", permission: Self.permission)
        let codes = Set((found["data"]?.elements ?? []).compactMap { $0["code"]?.string }.filter(Self.isPlain))
        return .refused(
            rest.system, "the customer cannot be redacted (\(codes.sorted().joined(separator: ", ")))",
            remedy: "Fix that in Stripe's dashboard, wait ten minutes, then release the erasure.")
    }

    /// A code is shown; any other text may be about the subject.
    private static func isPlain(_ code: String) -> Bool {
        code.utf8.count <= 64 && code.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isASCIISmallLetter }
    }

    /// - Parameter isFirst: Whether no job exists yet; a refused one stays, and is validated again.
    private func told(
        _ path: String, _ form: RESTCaller.Body, key: String, isFirst: Bool = false
    ) async throws -> (id: String, status: String) {
        let address = Self.jobs + path
        let job =
            if isFirst {
                try await rest.beginning(address, form, key: key, permission: Self.permission)
            } else {
                try await rest.object("POST", address, form, key: key, permission: Self.permission)
            }
        return try told(job)
    }

    private func told(_ job: RawJSON) throws -> (id: String, status: String) {
        guard let id = job["id"]?.string, let status = job["status"]?.string else {
            throw ConnectorFault.garbled(rest.system, "no redaction job")
        }
        return (id, status)
    }
}
