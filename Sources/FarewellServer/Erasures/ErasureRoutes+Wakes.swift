// SPDX-License-Identifier: Apache-2.0

import FarewellEngine
import ServiceLifecycle

/// When those who follow should look again.
extension ErasureRoutes {
    /// Comes at once, when a worker of this process has got further, and every second; ends when the server stops.
    func wakes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let sleep = server.world.sleep
        let bells = desk.bells
        let rings = [bells.progress.rings, bells.ends.rings]
        let work = Task {
            await cancelWhenGracefulShutdown {
                await withTaskGroup { group in
                    for ring in rings {
                        group.addTask {
                            for await _ in ring { continuation.yield() }
                        }
                    }
                    group.addTask {
                        repeat { continuation.yield() } while (try? await sleep(.seconds(1))) != nil
                    }
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in work.cancel() }
        return stream
    }
}
