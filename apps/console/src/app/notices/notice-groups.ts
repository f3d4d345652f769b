import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import type { inbox } from '@oms/contract/system/notice.ts'

export type Message = ResultOf<typeof inbox.mine>['list'][number]

/** Minimum number of equal messages in a row that are shown as one group. */
const GROUP_FROM = 3

/** Returns the wording of a title without its numbers and without the record after the dot. */
const wordingOf = ({ topic, title }: Message) => `${topic} ${title.split(' · ')[0]?.replaceAll(/[\dA-Z]+/g, '#')}`

/** Groups system messages that follow each other and differ only in their numbers and names. */
export function groupMessages(messages: readonly Message[]): Message[][] {
  const runs: Message[][] = []
  for (const message of messages) {
    const run = runs.at(-1)
    if (run?.[0] && message.topic !== '' && wordingOf(run[0]) === wordingOf(message)) run.push(message)
    else runs.push([message])
  }
  return runs.flatMap((run) => (run.length < GROUP_FROM ? run.map((message) => [message]) : [run]))
}
