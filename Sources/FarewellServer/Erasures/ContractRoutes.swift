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
    let routes: ErasureRoutes

    private var requests: ErasureRequests { routes.requests }
    private var systems: AccountSystems { routes.serving.systems }

    var all: [Route] {
        [
            function("delete-account", id: "deleteAccount"), function("delete-user", id: "deleteUserByFunction"),
            account, procedure,
        ]
    }

    // MARK: SV-1

    /// `{"data":{"success":true}}`, or an error in `{"error":{…}}`. Whatever the body says is not looked at.
    private func function(_ name: String, id: String) -> Route {
        Route(
            .post, "/functions/v1/\(name)",
            RouteOperation(
                id: id, summary: "Delete my account, as the apps' function does", tag: "contracts", authority: .person,
                parameters: [ErasureRoutes.stepUpParameter],
                answers: [
                    200: .init(meaning: "It is deleted.", schema: .named("FunctionAnswer")),
                    202: .init(meaning: "It will be deleted, and is still there.", schema: .named("FunctionPending")),
                    401: .init(meaning: "No token, or none that is good.", schema: .named("FunctionRefusal")),
                    403: .init(meaning: "Sign in again first.", schema: .named("FunctionRefusal")),
                    409: .init(meaning: "The request was taken back.", schema: .named("FunctionRefusal")),
                    422: .init(meaning: "The key was used before, otherwise.", schema: .named("FunctionRefusal")),
                    429: .init(meaning: "It was asked for too often.", schema: .named("FunctionRefusal")),
                    500: .init(meaning: "It could not be deleted.", schema: .named("FunctionRefusal")),
                    503: .init(meaning: "Not now.", schema: .named("FunctionRefusal")),
                ])
        ) { call in
            do {
                let ending = try await ending(call)
                guard ending.isFine else { throw FarewellError("erasure.needs-attention", .ours, Self.sorry) }
                if let pending = ending.pending { return .json(["data": pending], status: .accepted) }
                return .json(["data": ["success": true]])
            } catch {
                return refusal(error, call)
            }
        }
    }

    private static let sorry =
        "We are sorry: your account could not be removed completely just now. We are looking after it."

    /// For whatever kept the request from being answered: whether it was taken is not known.
    private static let notNow = "We couldn't remove your account right now. Please try again."

    /// What a person may be told of an error.
    private static func words(_ known: FarewellError, _ status: HTTPResponse.Status) -> String {
        status.code < 500 || known.code == "erasure.needs-attention" ? known.message : notNow
    }

    private func refusal(_ error: any Error, _ call: RouteCall) -> Response {
        let (status, known) = refused(error, call)
        var headers: HTTPFields = [:]
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if known.code == "erasure.sign-in-stale" { headers[.wwwAuthenticate] = ErrorAnswer.staleChallenge }
        if status == .serviceUnavailable { headers[.retryAfter] = "1" }
        return .json(
            ["error": ["code": ErrorStatus.code(of: known), "message": Self.words(known, status)]], status: status,
            headers: headers)
    }

    /// Logs and counts a refusal that has a shape of its own.
    private func refused(_ error: any Error, _ call: RouteCall) -> (HTTPResponse.Status, FarewellError) {
        let answer = ErrorAnswer(of: error)
        RefusalLog(metrics: routes.server.metrics).tell(error, answer, call.log)
        switch error {
        case let error as StatedError: return (answer.status, error.error)
        case let error as FarewellError: return (answer.status, error)
        default: return (answer.status, FarewellError("erasure.failed", .ours, Self.notNow))
        }
    }

    // MARK: How it ends

    private struct Ending: Sendable {
        /// nil where there was nothing of the account.
        let erasure: RequestedErasure?
        /// Whether everything else is gone and the account is not.
        var keepsAccount = false
        /// Deleted, or on its way and certain to arrive.
        var isFine: Bool { erasure?.state != .needsAttention }
        /// What is said of an account that is still there; nil where it is gone.
        var pending: PendingDeletion? {
            guard let erasure, erasure.state != .done || keepsAccount else { return nil }
            return PendingDeletion(erasure, keepsAccount: keepsAccount)
        }
    }

    /// The answer while an account is still there: the request was taken, and that is all that has succeeded. Members
    /// of the contracts' own answers keep their names; the others are those of `/v1/erasures`.
    private struct PendingDeletion: Encodable {
        let success = true
        let message: String
        let id: String
        let state: String
        let is_held: Bool
        let grace_until: String?
        let due_at: String?
        var deleted: [String: Bool]?

        init(_ erasure: RequestedErasure, keepsAccount: Bool) {
            let view = ErasureView(erasure, keepsAccount: keepsAccount)
            id = view.id
            state = view.state
            is_held = view.is_held
            grace_until = view.grace_until
            due_at = view.due_at
            if view.is_held {
                message = "User account deletion is on hold"
            } else if erasure.state == .grace {
                message = "User account will be deleted"
            } else {
                message = "User account is being deleted"
            }
        }
    }

    private func ending(
        _ call: RouteCall, objecting: (ErasurePerson) async throws -> Void = { _ in }
    ) async throws -> Ending {
        do {
            let asking = ErasureRequest(idempotencyKey: call.headers[.idempotencyKey])
            let answer = try await routes.answered(call, asking, objecting: objecting)
            let erasure = try await requests.goOn(answer.erasure)
            guard erasure.state != .cancelled else { throw ErasureRoutes.takenBack }
            guard erasure.mayEndSoon else {
                return Ending(erasure: erasure, keepsAccount: await !routes.removeAccount(after: erasure, call))
            }
            let last = try await requests.wait(for: erasure.id, atMost: routes.serving.wait)
            guard last?.state != .cancelled else { throw ErasureRoutes.takenBack }
            guard let last else { return Ending(erasure: nil) }
            return Ending(erasure: last, keepsAccount: await !routes.removeAccount(after: last, call))
        } catch let error as FarewellError where error.code == "erasure.unknown" {
            // The plan knows nothing of this account, so that the authority's own row is all there is.
            try await removeAccount(call)
            return Ending(erasure: nil)
        }
    }

    // MARK: SV-2

    private var account: Route {
        Route(
            .delete, "/me/account",
            RouteOperation(
                id: "deleteMyAccount", summary: "Delete my account, told system by system", tag: "contracts",
                authority: .person, parameters: [ErasureRoutes.stepUpParameter],
                answers: [
                    200: .init(meaning: "It is deleted.", schema: .named("AccountAnswer")),
                    202: .init(meaning: "It will be deleted, and is still there.", schema: .named("PendingDeletion")),
                    401: .init(meaning: "No token, or none that is good.", schema: .named("AccountRefusal")),
                    403: .init(meaning: "Sign in again first.", schema: .named("AccountRefusal")),
                    409: .init(meaning: "The request was taken back.", schema: .named("AccountRefusal")),
                    422: .init(meaning: "The key was used before, otherwise.", schema: .named("AccountRefusal")),
                    429: .init(meaning: "It was asked for too often.", schema: .named("AccountRefusal")),
                    500: .init(meaning: "Not all of it could be deleted.", schema: .named("AccountFailure")),
                    503: .init(meaning: "Not now.", schema: .named("AccountFailure")),
                ])
        ) { call in
            do {
                let ending = try await ending(call)
                let done =
                    ending.erasure.map { systems.done(in: $0, keepsAccount: ending.keepsAccount) } ?? systems.allDone
                guard ending.isFine, !ending.keepsAccount, ending.erasure?.status.waitsForSystem != true else {
                    return .json(AccountFailure(details: done), status: .internalServerError)
                }
                if var pending = ending.pending {
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
        switch status {
        case .unauthorized:
            return .json(
                ["error": "Unauthorized - missing user identity"], status: status, headers: [.wwwAuthenticate: "Bearer"]
            )
        case _ where status.code >= 500:
            let headers: HTTPFields = status == .serviceUnavailable ? [.retryAfter: "1"] : [:]
            return .json(AccountFailure(details: systems.noneDone), status: status, headers: headers)
        default:
            let headers: HTTPFields =
                known.code == "erasure.sign-in-stale" ? [.wwwAuthenticate: ErrorAnswer.staleChallenge] : [:]
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
        let details: [String: Bool]
    }

    // MARK: SV-3

    /// The caller's own row of the authority, the last of an app's own steps: refused while rows are there that would
    /// not go with it. It goes as every account does, so that a hold, a grace and a restore are minded.
    private var procedure: Route {
        Route(
            .post, "/rest/v1/rpc/delete_auth_user",
            RouteOperation(
                id: "deleteAuthUser", summary: "Delete my own auth row, as the last step", tag: "contracts",
                authority: .person, parameters: [ErasureRoutes.stepUpParameter],
                answers: [
                    202: .init(meaning: "It will be deleted, and is still there.", schema: .named("PendingDeletion")),
                    204: .init(meaning: "It is deleted, and every session ended."),
                    401: .init(meaning: "No token, or none that is good.", schema: .named("ProcedureRefusal")),
                    403: .init(meaning: "Sign in again first.", schema: .named("ProcedureRefusal")),
                    409: .init(
                        meaning: "Rows of the account are still there, or the request was taken back.",
                        schema: .named("ProcedureRefusal")),
                    422: .init(meaning: "The key was used before, otherwise.", schema: .named("ProcedureRefusal")),
                    429: .init(meaning: "It was asked for too often.", schema: .named("ProcedureRefusal")),
                    500: .init(meaning: "It could not be deleted.", schema: .named("ProcedureRefusal")),
                    503: .init(meaning: "Not now.", schema: .named("ProcedureRefusal")),
                ])
        ) { call in
            do {
                let ending = try await ending(call) { person in
                    guard try await routes.serving.engine.rowsThatStay(of: person.subject) == 0 else {
                        throw Self.rowsLeft
                    }
                }
                guard ending.isFine else { throw FarewellError("erasure.needs-attention", .ours, Self.sorry) }
                if let pending = ending.pending { return .json(pending, status: .accepted) }
                return Response(status: .noContent)
            } catch let error as FarewellError where error.code == Self.rowsLeft.code {
                return Self.procedureRefusal(.conflict, "23503", error.message)
            } catch {
                if error is StatedError, await isGone(call) { return Response(status: .noContent) }
                let (status, known) = refused(error, call)
                let message = Self.words(known, status)
                return Self.procedureRefusal(status, ErrorStatus.code(of: known), message)
            }
        }
    }

    private static let rowsLeft = FarewellError(
        "erasure.rows-left", .yoursToFix, "Rows of the account are still there; delete them first.")

    private func removeAccount(_ call: RouteCall) async throws {
        guard let caller = try await routes.identity.person(call).caller else { return }
        try await routes.server.authority.deleteUser(caller.user.id)
    }

    /// Whether the token was good and its person is no longer there: the answer to the first call was lost.
    private func isGone(_ call: RouteCall) async -> Bool {
        guard let subject = await routes.identity.recognised(call), let id = UUID(text: subject) else {
            return false
        }
        do {
            _ = try await routes.server.authority.user(id)
            return false
        } catch {
            return (error as? FarewellError)?.code == "auth.user_not_found"
        }
    }

    /// In the shape of PostgREST.
    private static func procedureRefusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
        var headers: HTTPFields = status == .unauthorized ? [.wwwAuthenticate: "Bearer"] : [:]
        if code == "erasure.sign-in-stale" { headers[.wwwAuthenticate] = ErrorAnswer.staleChallenge }
        if status == .serviceUnavailable { headers[.retryAfter] = "1" }
        return .json(ProcedureRefusal(code: code, message: message), status: status, headers: headers)
    }

    private struct ProcedureRefusal: Encodable {
        let code: String
        let message: String
        let details = String?.none
        let hint = String?.none
    }
}
