// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Errors of erasures and of third-party systems.
extension ErrorMeaning {
    static let erasure: [ErrorMeaning] = [
        .init(
            "apple.code-refused", .yoursToFix, "Apple did not exchange an authorization code.",
            "Check apple.client-ids, apple.team-id, apple.key-id and the key."),
        .init(
            "connector.credentials", .yoursToFix,
            "A system refuses the credentials, or they lack a right; or a secret of the plan is not set.",
            "Renew the key, grant the right or set the secret, then release the erasure."),
        .init(
            "connector.ended", .yoursToFix, "A system began to erase and then refused.",
            "Remove the cause, then release the erasure."),
        .init(
            "connector.endless", .yoursToFix, "A system says after very many pages that more is left to erase.",
            "Correct the service, which returns a cursor only while something is left; then release the erasure."),
        .init(
            "connector.garbled", .tryAgain, "The answer of a system is not readable.",
            "Check the address; another program may answer there."),
        .init(
            "connector.leftovers", .tryAgain, "Data of the subject still exists in a system after the erasure.",
            "Find the program that writes there, then resume the erasure."),
        .init(
            "connector.misconfigured", .yoursToFix, "The settings of a system in the plan are not usable.",
            "Correct the plan or the system's own set-up, then release the erasure."),
        .init(
            "connector.pending", .tryAgain, "A system has begun to erase and has not finished.",
            "Farewell asks again. If the erasure is parked, check the system, then release the erasure."),
        .init(
            "connector.refused", .yoursToFix,
            "A system refuses to erase, or its answer does not prove that nothing is there.",
            "Follow the remedy in the message, then release the erasure."),
        .init(
            "connector.resting", .tryAgain,
            "A system is not called for a while: it calls back, or the rest has a due date or very many small pages.",
            "None is needed with a server. Without one, run farewell erase --resume after that date."),
        .init(
            "connector.silent", .yoursToFix,
            "A system accepted the request to erase several times, and never called back in time.",
            "Check that the service reaches the setting callback, or set a longer timeout; then release the erasure. A "
                + "late report continues it."),
        .init(
            "connector.throttled", .tryAgain, "A system limits the number of calls.",
            "None is needed: Farewell tries again after the time that the system names."),
        .init(
            "connector.unavailable", .tryAgain, "A system did not answer or could not do its work.",
            "Check the system; Farewell tries again."),
        .init("erasure.busy", .tryAgain, "The same account is being erased at this moment.", "Try again."),
        .init(
            "erasure.cancelled", .yoursToFix, "The request was cancelled.",
            "Send a new request with another Idempotency-Key."),
        .init(
            "erasure.clock", .tryAgain, "The clock cannot be trusted, so no retention or grace period is counted.",
            "Set the clock by NTP and confirm it with farewell doctor --confirm-clock."),
        .init(
            "erasure.failed", .ours, "The deletion could not be carried out now.",
            "Try again; the server's log has the cause."),
        .init(
            "erasure.held", .yoursToFix, "An operator holds the user's data, so the account cannot be deleted.",
            "End the hold, then try again."),
        .init(
            "erasure.identifier-form", .tryAgain,
            "The account's identifier has another form than the keys of the plan's subject.",
            "Name in the plan's subject: the column that contains the accounts' identifiers."),
        .init(
            "erasure.key-missing", .yoursToFix, "The header Idempotency-Key is missing, empty or too long.",
            "Send a key of 1 to 255 characters, and the same one with each retry."),
        .init(
            "erasure.key-reused", .yoursToFix, "Another request used the same idempotency key or ticket.",
            "Make a new one for each request."),
        .init(
            "erasure.malformed", .yoursToFix,
            "A member of the request is missing or not valid, or a stored value cannot be read.",
            "Correct the member that the message names."),
        .init(
            "erasure.message-malformed", .yoursToFix,
            "The message of a system has a type or form that Farewell does not accept.",
            "Send a message of the type erased."),
        .init(
            "erasure.message-unsigned", .yoursToFix,
            "The message is not signed with the secret of a system of this name.",
            "Sign it by Standard Webhooks and send it at once."),
        .init(
            "erasure.needs-attention", .ours, "The erasure is parked and needs an operator.",
            "Run farewell status: it shows the cause."),
        .init(
            "erasure.no-receipt", .yoursToFix, "The erasure has no receipt yet.", "Wait until the erasure is done."),
        .init("erasure.not-found", .yoursToFix, "No erasure matches the identifier and the ticket.", "Check both."),
        .init(
            "erasure.parked", .yoursToFix, "The subject has no rows left, and its erasure is parked.",
            "Fix the cause that the message names, then release the erasure."),
        .init(
            "erasure.plan-unfit", .tryAgain, "The plan does not fit the database, so no erasure is accepted.",
            "Correct the plan or the database; the server's log names the tables."),
        .init(
            "erasure.rows-left", .yoursToFix, "Rows of the account still exist in the app's tables.",
            "Delete them first, then the auth row."),
        .init(
            "erasure.sign-in-stale", .yoursToFix, "The sign-in is not recent enough.",
            "Sign in again, or send a proof from /v1/step-ups."),
        .init(
            "erasure.step-up-invalid", .yoursToFix,
            "The proof was used before, has expired, or is for another act, session or password.",
            "Get a new proof from /v1/step-ups."),
        .init(
            "erasure.too-late", .yoursToFix, "The erasure has begun or has ended and cannot be cancelled.",
            "None is needed."),
        .init("erasure.too-often", .tryAgain, "The erasure was requested too often.", "Wait, then try again."),
        .init(
            "erasure.unfinished", .tryAgain, "The subject has no rows left, and its erasure is unfinished.",
            "Run farewell erase --resume."),
        .init(
            "erasure.unknown", .yoursToFix, "The database holds no data of this account.",
            "Check that the token is for this app."),
        .init(
            "retention.rows-left", .yoursToFix, "Retained rows still exist after their erasure.",
            "Find the program that writes them."),
        .init(
            "retention.unknown-place", .yoursToFix,
            "Retained rows cannot be found, because the table or its columns no longer exist.",
            "Check the rows yourself."),
        .init(
            "run.crashes", .ours, "The workers of an erasure died several times, perhaps because of it.",
            "Read the worker's log, then release the erasure."),
        .init(
            "run.earlier-plan", .yoursToFix,
            "Erasures that were accepted under this plan wait, and a process with an earlier plan leaves them.",
            "Give all processes this plan, or run farewell check --accept with the earlier one if that is right."),
        .init(
            "run.failed", .ours, "The erasure failed for an unexpected reason.",
            "Read the log, then release the erasure."),
        .init(
            "run.large-account", .ours, "The account is too large for one transaction.",
            "None is needed: Farewell erases it in chunks."),
        .init(
            "run.later-plan", .yoursToFix,
            "Erasures wait that were accepted under a later plan than this process has.",
            "Give this process the later plan, or run farewell check --accept with its own if that is right."),
        .init(
            "run.lease-lost", .tryAgain, "Another process has taken over the erasure, and this one changed nothing.",
            "None is needed: farewell status shows the progress."),
        .init("run.not-parked", .yoursToFix, "The erasure is not parked.", "See farewell status."),
        .init(
            "run.plan-changed", .yoursToFix, "The plan differs from the plan with which the erasure began.",
            "Restore the former plan, or release the erasure to the present plan."),
        .init(
            "run.schema-changed", .yoursToFix, "The schema has changed since the erasure began.",
            "Run farewell check and correct the plan; then release the erasure if no server does."),
        .init("run.unknown", .yoursToFix, "No erasure has this identifier.", "See farewell status."),
        .init(
            "run.unpredicted", .yoursToFix,
            "The transaction would change other rows than the plan predicts, and was rolled back.",
            "Run farewell rehearse; declare rightful changes under effects."),
        .init(
            "verify.leftovers", .ours, "Rows of the subject exist again after the erasure.",
            "Stop the program, trigger or rule that keeps or writes them, then release the erasure."),
    ]
}
