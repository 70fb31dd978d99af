// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// The regular duties of a server for its authority.
struct BackgroundDuties: AuthorityPart {
    let context: AuthorityContext
    let revoker: SessionRevoker
    let revocations: RevocationReader
    let cleaner: AuthorityCleaner
    let returnedKeys: ReturnedKeys
    let delivery: MailDelivery
    /// Sends the mails; `nil` if none are sent.
    let sender: (any MailSending)?

    /// Looks after the feed and clears away what is over, until the task is cancelled. A database that does not answer
    /// for a while is waited for.
    func run() async {
        let wakes = WakeStream(revoker.signal.wakes, every: settings.feedPoll, sleep: environment.sleep)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await wakeFollowers(at: wakes.stream) }
            group.addTask { await clearAwayRegularly() }
            group.addTask { await returnedKeys.removeRegularly() }
            if let sender {
                group.addTask { await delivery.deliverRegularly(by: sender) }
            }
            if let database = database as? PostgreSQLDatabase {
                group.addTask { await listen(to: database) }
            }
        }
    }

    /// Wakes the followers of the feed if it has grown.
    private func wakeFollowers(at wakes: AsyncStream<Void>) async {
        var known: Int64 = -1
        for await _ in wakes where revocations.signal.waiters > 0 {
            guard let newest = await attempt("Reading the revocation feed", revocations.newest) else { continue }
            if newest != known { revocations.signal.wake() }
            known = newest
        }
    }

    private func clearAwayRegularly() async {
        repeat {
            _ = await attempt("Removing expired data", cleaner.prune)
        } while (try? await environment.sleep(.seconds(60))) != nil
    }

    /// Receives the signals of other servers. The listener reconnects automatically; a lasting error is waited out.
    private func listen(to database: PostgreSQLDatabase) async {
        repeat {
            do {
                for try await _ in database.notifications(on: RevocationStore.channel) { revoker.signal.wake() }
            } catch {
                let text = FarewellError.text(of: error)
                environment.log.warning("Listening for revocations failed.", metadata: ["error": "\(text)"])
            }
        } while (try? await environment.sleep(.seconds(5))) != nil
    }
}
