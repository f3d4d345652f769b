import { pipeline } from 'node:stream/promises'
import { TASK } from '@oms/contract/ota-task.ts'
import type { OpenTask } from '#kernel/fleet/state.ts'
import { planSend } from '#kernel/files/send.ts'
import { FileMissing } from '#kernel/files/store.ts'
import { DeviceProblem, missing } from './answer.ts'
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

/** Sends bytes, whole or from where the device left off, and notes how far it got. */
export async function sendComponent(call: Call, { task, component, deployment }: Found) {
  const { side, request, response } = call
  const { sha1, sha256, size, fileName } = component
  const plan = planSend(
    { method: request.method ?? 'GET', headers: request.headers },
    { sha256: sha1, size, name: fileName, mime: 'application/octet-stream' },
  )
  if (!plan.range) return void response.writeHead(plan.status, plan.headers).end()
  if (side.downloads.count >= side.kernel.config.deviceDownloads * 4)
    throw new DeviceProblem(503, 'too many downloads', 60)
  // Straight for the bytes, without a look at the deployment: that counts as well.
  if (task.state < TASK.fetched && !(await side.tasks.begin(task))) throw side.pacing.refusal(call.slot)
  const whole = plan.range.start === 0 && plan.range.end === size - 1
  const source = await side.kernel.files.openRead(sha256, whole ? undefined : plan.range).catch((error: unknown) => {
    if (error instanceof FileMissing) throw new DeviceProblem(503, 'the file is not available', 300)
    throw error
  })
  side.downloads.begin(task.taskId, task.otaId)
  void side.tasks.reached(task, TASK.downloading, 'download')
  const before = sizeBefore(deployment, component) + plan.range.start
  let sent = 0
  source.on('data', (chunk: Buffer) => {
    sent += chunk.length
    side.tasks.progressed(task.taskId, Math.floor(((before + sent) / Math.max(1, deployment.size)) * 100), Date.now())
  })
  source.pause()
  response.writeHead(plan.status, plan.headers)
  const wanted = plan.range.end - plan.range.start + 1
  const end = plan.range.end
  try {
    await pipeline(source, (chunks: AsyncIterable<Buffer>) => side.lines.paced(task.otaId, chunks), response)
  } finally {
    const isComplete = sent === wanted && end === size - 1 && response.writableFinished
    const complete = side.downloads.end(task.taskId, component.id, isComplete)
    if (isComplete && complete === deployment.components.length)
      await side.tasks.reached(task, TASK.downloaded, 'downloaded')
  }
}

function sizeBefore({ components }: Deployment, component: Component) {
  return components.slice(0, components.indexOf(component)).reduce((sum, { size }) => sum + size, 0)
}
