import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { TASK } from '@oms/contract/ota-task.ts'
import type { OpenTask } from '#kernel/fleet/state.ts'
import { planSend } from '#kernel/files/send.ts'
import { FileMissing } from '#kernel/files/store.ts'
import { DeviceProblem, missing } from './answer.ts'
import { isPiece } from './break-off.ts'
import type { Component, Deployment } from './deployments.ts'
import type { Call } from './side.ts'

interface Found {
  readonly task: OpenTask
  readonly component: Component
  readonly deployment: Deployment
}

/** The file of an open task of this very device: of another's, or of none, there is nothing to be had. */
export async function findComponent({ side, slot }: Pick<Call, 'side' | 'slot'>, componentId: number): Promise<Found> {
  const look = async (): Promise<Found | undefined> => {
    for (const task of side.kernel.fleet.state.openTasks(slot)) {
      if (task.state === TASK.confirming) continue
      const deployment = await side.deployments.of(task.otaId)
      const component = deployment?.components.find(({ id }) => id === componentId)
      if (deployment && component) return { task, component, deployment }
    }
    return undefined
  }
  const found = await look()
  if (found) return found
  // The task may have been made by another process a moment ago.
  await side.tasks.caughtUp()
  const late = await look()
  if (!late) throw missing('artifact')
  return late
}

export const planFor = ({ method = 'GET', headers }: IncomingMessage, { sha1, size, fileName }: Component) =>
  planSend({ method, headers }, { sha256: sha1, size, name: fileName, mime: 'application/octet-stream' })

/** Sends bytes, whole or from where the device left off, and notes how far it got. */
export async function sendComponent(call: Call, { task, component, deployment }: Found) {
  const { side, request, response } = call
  const { sha256, size } = component
  const plan = planFor(request, component)
  if (!plan.range) return void response.writeHead(plan.status, plan.headers).end()
  const { start, end } = plan.range
  const whole = start === 0 && end === size - 1
  // Pieces come in any order, the end of a bundle first: only their sum says how far a device is.
  const inPieces = !whole && isPiece(request)
  if (inPieces && !side.downloads.takePiece(task.taskId, task.otaId, call.now))
    throw new DeviceProblem(429, 'too many pieces', 60)
  if (side.downloads.count >= side.kernel.config.deviceDownloads * 4)
    throw new DeviceProblem(503, 'too many downloads', 60)
  // Straight for the bytes, without a look at the deployment: that counts as well.
  if (task.state < TASK.fetched && !(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  const source = await side.kernel.files.openRead(sha256, whole ? undefined : plan.range).catch((error: unknown) => {
    if (error instanceof FileMissing) throw new DeviceProblem(503, 'the file is not available', 300)
    throw error
  })
  side.downloads.begin(task.taskId, task.otaId)
  void side.tasks.reached(task, TASK.downloading, 'download')
  const before = sizeBefore(deployment, component)
  let position = start
  let sent = 0
  source.on('data', (chunk: Buffer) => {
    sent += chunk.length
    position = inPieces ? side.downloads.sentPiece(task.taskId, component.id, chunk.length) : start + sent
    const percent = Math.floor(((before + position) / Math.max(1, deployment.size)) * 100)
    side.tasks.progressed(task.taskId, Math.min(percent, 100), Date.now())
  })
  source.pause()
  response.writeHead(plan.status, plan.headers)
  try {
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => side.lines.paced(task.otaId, chunks), response)
  } finally {
    const isComplete = sent === end - start + 1 && position >= size && response.writableFinished
    const complete = side.downloads.end(task.taskId, component.id, isComplete)
    if (isComplete && complete === deployment.components.length)
      await side.tasks.reached(task, TASK.downloaded, 'downloaded')
  }
}

function sizeBefore({ components }: Deployment, component: Component) {
  return components.slice(0, components.indexOf(component)).reduce((sum, { size }) => sum + size, 0)
}
