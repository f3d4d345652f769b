import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../../..')

/** A table of a guide that fills a form of the console: the form's title and the entered values by field title. */
export interface FormStep {
  readonly kind: 'form'
  readonly title: string
  readonly fields: ReadonlyMap<string, string>
}
/** A shell block of a guide with the output that follows in the guide. */
export interface ShellStep {
  readonly kind: 'shell'
  readonly command: string
  /** Undefined when the guide shows no output. */
  readonly expected: string | undefined
  /** True for a client that runs until the reader stops it. */
  readonly isUntilStopped: boolean
}
export type GuideStep = FormStep | ShellStep

const BLOCK = /^([ ]*)```(\w+)([^\n]*)\n([\s\S]*?)\n[ ]*```$/gm
const TABLE = /^[ ]*\| (\S+) \| enter \|\n[ ]*\| --- \| --- \|\n((?:[ ]*\|.*\|\n)+)/gm
const ROW = /\| (\S+) \| `([^`]*)` \|/g

export const readGuide = (name: string) => readFileSync(join(ROOT, 'docs/guides', name), 'utf8')
export const readReference = (name: string) => readFileSync(join(ROOT, 'docs/reference', name), 'utf8')

/** Returns the fenced blocks of a language with the indentation of their list item removed. */
export const blocksOf = (text: string, language: string) => fences(text).filter((block) => block.language === language)

function fences(text: string) {
  return [...text.matchAll(BLOCK)].map(({ index, 1: indent = '', 2: language = '', 3: info = '', 4: body = '' }) => ({
    index,
    language,
    info: info.trim(),
    body: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** Returns the forms and the shell blocks of a guide in the order of the text. */
export function stepsOf(text: string): GuideStep[] {
  const blocks = fences(text)
  const shells = blocks.flatMap((block, at) => {
    if (block.language !== 'sh') return []
    const next = blocks[at + 1]
    const expected = next?.language === 'text' ? next.body : undefined
    const isUntilStopped = block.info === 'until-stopped'
    return [{ index: block.index, step: { kind: 'shell' as const, command: block.body, expected, isUntilStopped } }]
  })
  const forms = [...text.matchAll(TABLE)].map(({ index, 1: title = '', 2: rows = '' }) => {
    const fields = new Map([...rows.matchAll(ROW)].map(([, field, value]) => [field ?? '', value ?? '']))
    return { index, step: { kind: 'form' as const, title, fields } }
  })
  return [...shells, ...forms].sort((a, b) => a.index - b.index).map(({ step }) => step)
}

/** True when the output equals the text of the guide, in which `…` stands for any text within a line. */
export const isExpected = (output: string, expected: string) =>
  new RegExp(`^${patternOf(expected)}$`).test(output.trimEnd())

/** True when the lines of the guide occur in the output in this order, with other lines between them. */
export function containsLines(output: string, expected: string) {
  const wanted = expected.split('\n').map((line) => new RegExp(`^${patternOf(line)}$`))
  let found = 0
  for (const line of output.split('\n')) if (wanted[found]?.test(line)) found += 1
  return found === wanted.length
}

const patternOf = (text: string) =>
  text
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('[^\\n]*')

interface Shell {
  /** The reader's folder. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a block as written and keeps exported variables for the next block. Returns everything that it prints. */
export function runBlock({ folder, env }: Shell, { command, expected = '', isUntilStopped }: ShellStep) {
  const state = `${folder}.state`
  const script = `touch '${state}'; . '${state}'\n${command}\nstatus=$?; export -p > '${state}'; exit $status`
  const child = spawn('bash', ['-c', script], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const stop = (signal: NodeJS.Signals) => {
    // The group contains the shell and the client that it waits for.
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, signal)
  }
  const late = setTimeout(() => stop('SIGKILL'), LIMIT_MS)
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (isUntilStopped && containsLines(output, expected)) stop('SIGINT')
    })
  return new Promise<{ output: string; status: number | null }>((done, fail) => {
    child.on('error', fail)
    child.on('close', (status) => {
      clearTimeout(late)
      done({ output, status })
    })
  })
}

/** Longest run of one block. */
const LIMIT_MS = 30_000
