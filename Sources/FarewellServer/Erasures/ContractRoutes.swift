// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The ways in which the reference systems delete an account, all of them by the same requests and workers.
struct ContractRoutes: Sendable {
    let deletion: AccountDeletion
    let metrics: ServerMetrics

    private var systems: AccountSystems { deletion.serving.systems }

    var all: [Route] {
        [
            function("delete-account", id: "deleteAccount"), function("delete-user", id: "deleteUserByFunction"),
            account, procedure,
        ]
    }

    // MARK: SV-1

    /// `{"data":{"success":true}}`, or an error in `{"error":{…}}`. The body is ignored.
    private func function(_ name: String, id: String) -> Route {
        Route(
            .post, "/functions/v1/\(name)",
            RouteOperation(
                id: id, summary: "Delete the user's account, as the app's own function would", tag: "contracts",
                authority: .subject,
                parameters: [.stepUp],
                answers: [
                    200: .init(meaning: "The account is deleted.", schema: .named("FunctionAnswer")),
                    202: .init(
                        meaning: "The deletion is accepted; the account still exists.",
                        schema: .named("FunctionPending")),
                    401: .init(meaning: "The token is missing or not valid.", schema: .named("FunctionRefusal")),
                    403: .init(meaning: "A recent sign-in is required.", schema: .named("FunctionRefusal")),
                    409: .init(meaning: "The request was cancelled.", schema: .named("FunctionRefusal")),
                    422: .init(meaning: "The key was used for another request.", schema: .named("FunctionRefusal")),
                    429: .init(meaning: "Too many requests.", schema: .named("FunctionRefusal")),
                    500: .init(meaning: "The account could not be deleted.", schema: .named("FunctionRefusal")),
                    503: .init(meaning: "The server cannot do this now.", schema: .named("FunctionRefusal")),
                ], refusals: RouteOperation.requestRefusals(and: Self.failures))
        ) { call in
            do {
                let outcome = try await outcome(call)
                guard outcome.isFine else { throw FarewellError("erasure.needs-attention", .ours, Self.sorry) }
                if let pending = PendingDeletion(outcome) { return .json(["data": pending], status: .accepted) }
                return .json(["data": ["success": true]])
            } catch {
                return refusal(error, call)
            }
        }
    }

    /// The refusals of an account that could not be deleted.
    private static let failures: [Int: Set<String>] = [500: ["erasure.failed", "erasure.needs-attention"]]

    private static let sorry =
        "We are sorry: your account could not be removed completely just now. We are looking after it."

    /// For whatever kept the request from being answered: whether it was taken is not known.
    private static let notNow = "We couldn't remove your account right now. Please try again."

    /// The text of an error that a user may see.
    private static func words(_ known: FarewellError, _ status: HTTPResponse.Status) -> String {
        status.code < 500 || known.code == "erasure.needs-attention" ? known.message : notNow
    }

    private func refusal(_ error: any Error, _ call: RouteCall) -> Response {
        let (status, known) = refused(error, call)
        var headers: HTTPFields = [:]
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if known.code == "erasure.sign-in-stale" { headers[.wwwAuthenticate] = ErrorAnswer.staleChallenge }
        let code = ErrorStatus.code(of: known)
        headers[.errorCode] = code
        headers[.retryAfter] = ErrorStatus.pause(after: code, status).map { String($0) }
        var error = ["code": code, "message": Self.words(known, status)]
        if status.code < 500 { error["hint"] = known.remedy }
        return .json(["error": error], status: status, headers: headers)
    }

    /// Logs and counts a refusal that has a shape of its own.
    private func refused(_ error: any Error, _ call: RouteCall) -> (HTTPResponse.Status, FarewellError) {
        let answer = ErrorAnswer(of: error)
        RefusalLog(metrics: metrics).record(error, answer, call.log)
        switch error {
        case let error as ErrorWithStatus: return (answer.status, error.error)
        case let error as UnprovenIdentity: return (answer.status, error.error)
        case let error as FarewellError: return (answer.status, error)
        default: return (answer.status, FarewellError("erasure.failed", .ours, Self.notNow))
        }
    }

    // MARK: Outcome

    private func outcome(
        _ call: RouteCall, objecting: ((ErasurePerson) async throws -> Void)? = nil
    ) async throws -> DeletionOutcome {
        try await deletion.delete(
            ErasureRequest(idempotencyKey: call.headers[.idempotencyKey]), by: call.credentials, call.log,
            waiting: { call.longestWait(atMost: deletion.serving.wait) }, objecting: objecting)
    }

    // MARK: SV-2

    private var account: Route {
        Route(
            .delete, "/me/account",
            RouteOperation(
                id: "deleteMyAccount", summary: "Delete the user's account; the answer lists each system",
                tag: "contracts",
                authority: .subject, parameters: [.stepUp],
                answers: [
                    200: .init(meaning: "The account is deleted.", schema: .named("AccountAnswer")),
                    202: .init(
                        meaning: "The deletion is accepted; the account still exists.",
                        schema: .named("PendingDeletion")),
                    401: .init(meaning: "The token is missing or not valid.", schema: .named("AccountRefusal")),
                    403: .init(meaning: "A recent sign-in is required.", schema: .named("AccountRefusal")),
                    404: .init(meaning: "No data of this account exists.", schema: .named("AccountRefusal")),
                    409: .init(meaning: "The request was cancelled.", schema: .named("AccountRefusal")),
                    422: .init(meaning: "The key was used for another request.", schema: .named("AccountRefusal")),
                    429: .init(meaning: "Too many requests.", schema: .named("AccountRefusal")),
                    500: .init(meaning: "A part could not be deleted.", schema: .named("AccountFailure")),
                    503: .init(meaning: "The server cannot do this now.", schema: .named("AccountFailure")),
                ], refusals: RouteOperation.requestRefusals(and: Self.failures))
        ) { call in
            do {
                let outcome = try await outcome(call)
                let done =
                    outcome.erasure.map { systems.done(in: $0, keepsAccount: outcome.keepsAccount) } ?? systems.allDone
                guard outcome.isFine, !outcome.keepsAccount, outcome.erasure?.status.waitsForSystem != true else {
                    let details = systems.unfinished(in: outcome.erasure, keepsAccount: outcome.keepsAccount)
                    // Apps compare the body with the contract; only a step without a name there needs words.
                    let isNamed = details.keys.allSatisfy { systems.allDone[$0] != nil }
                    let failure = isNamed ? AccountFailure(details) : AccountFailure(details, outcome)
                    return .json(failure, status: .internalServerError)
                }
                if var pending = PendingDeletion(outcome) {
                    pending.deleted = done
                    return .json(pending, status: .accepted)
                }
                return .json(AccountAnswer(deleted: done))
            } catch {
                return accountRefusal(error, call)
            }
        }
    }

    private func accountRefusal(_ error: any Error, _ call: RouteCall) -> Response {
        let (status, known) = refused(error, call)
        let code = ErrorStatus.code(of: known)
        var headers: HTTPFields = [.errorCode: code]
        headers[.retryAfter] = ErrorStatus.pause(after: code, status).map { String($0) }
        switch status {
        case .unauthorized:
            headers[.wwwAuthenticate] = "Bearer"
            return .json(["error": "Unauthorized - missing user identity"], status: status, headers: headers)
        case _ where status.code >= 500:
            return .json(AccountFailure(systems.noneDone), status: status, headers: headers)
        default:
            if known.code == "erasure.sign-in-stale" { headers[.wwwAuthenticate] = ErrorAnswer.staleChallenge }
            return .json(["error": known.message], status: status, headers: headers)
        }
    }

    private struct AccountAnswer: Encodable {
        let success = true
        let message = "User account deleted successfully"
        let deleted: [String: Bool]
    }

    private struct AccountFailure: Encodable {
        let success = false
        let error = "Failed to delete user account"
        /// A sentence about completed and waiting systems; nil where the names of the systems say all.
        var message: String?
        /// The state of the erasure; nil where the names of the systems say all.
        var state: String?
        let details: [String: Bool]

        init(_ details: [String: Bool]) { self.details = details }

        /// - Parameter details: At least one of them is false.
        init(_ details: [String: Bool], _ outcome: DeletionOutcome) {
            func names(_ isDone: Bool) -> String {
                details.filter { $0.value == isDone }.keys.sorted().joined(separator: ", ")
            }
            let done = names(true)
            let isParked = !outcome.isFine && outcome.erasure?.status.waitsForSystem != true
            let next = isParked ? "An operator looks after it." : "A repeated request continues it."
            message = (done.isEmpty ? "" : "Done: \(done). ") + "Not yet: \(names(false)). \(next)"
            state = outcome.erasure?.state.rawValue
            self.details = details
        }
    }

    // MARK: SV-3

    /// The caller's own row of the authority, the last of an app's own steps: refused while rows exist that would not
    /// be deleted with it. It is an erasure like every other, so that holds, grace and restores apply.
    private var procedure: Route {
        Route(
            .post, "/rest/v1/rpc/delete_auth_user",
            RouteOperation(
                id: "deleteAuthUser", summary: "Delete the user's own auth row, as the last step of a deletion",
                tag: "contracts",
                authority: .subject, parameters: [.stepUp],
                answers: [
                    202: .init(
                        meaning: "The deletion is accepted; the account still exists.",
                        schema: .named("PendingDeletion")),
                    204: .init(meaning: "The row is deleted, and every session has ended."),
                    401: .init(meaning: "The token is missing or not valid.", schema: .named("ProcedureRefusal")),
                    403: .init(meaning: "A recent sign-in is required.", schema: .named("ProcedureRefusal")),
                    409: .init(
                        meaning: "Rows of the account still exist, or the request was cancelled.",
                        schema: .named("ProcedureRefusal")),
                    422: .init(meaning: "The key was used for another request.", schema: .named("ProcedureRefusal")),
                    429: .init(meaning: "Too many requests.", schema: .named("ProcedureRefusal")),
                    500: .init(meaning: "The account could not be deleted.", schema: .named("ProcedureRefusal")),
                    503: .init(meaning: "The server cannot do this now.", schema: .named("ProcedureRefusal")),
                ],
                refusals: RouteOperation.requestRefusals(
                    and: Self.failures.merging([409: ["23503"]]) { $0.union($1) }))
        ) { call in
            do {
                let outcome = try await outcome(call) { person in
                    guard try await deletion.rowsThatStay(of: person) == 0 else { throw Self.rowsLeft }
                }
                guard outcome.isFine else { throw FarewellError("erasure.needs-attention", .ours, Self.sorry) }
                if let pending = PendingDeletion(outcome) { return .json(pending, status: .accepted) }
                return Response(status: .noContent)
            } catch let error as FarewellError where error.code == Self.rowsLeft.code {
                return Self.procedureRefusal(.conflict, "23503", error.message)
            } catch {
                var refusal = error
                do {
                    if error is UnprovenIdentity, try await deletion.isGone(call.credentials) {
                        return Response(status: .noContent)
                    }
                } catch {
                    refusal = error
                }
                let (status, known) = refused(refusal, call)
                let message = Self.words(known, status)
                return Self.procedureRefusal(status, ErrorStatus.code(of: known), message)
            }
        }
    }

    private static let rowsLeft = FarewellError(
        "erasure.rows-left", .yoursToFix, "Rows of the account are still there; delete them first.")

    /// In the shape of PostgREST.
    private static func procedureRefusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
        var headers: HTTPFields = [.errorCode: code]
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if code == "erasure.sign-in-stale" { headers[.wwwAuthenticate] = ErrorAnswer.staleChallenge }
        headers[.retryAfter] = ErrorStatus.pause(after: code, status).map { String($0) }
        return .json(ProcedureRefusal(code: code, message: message), status: status, headers: headers)
    }

    private struct ProcedureRefusal: Encodable {
        let code: String
        let message: String
        let details = String?.none
        let hint = String?.none
    }
}
