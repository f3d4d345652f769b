import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const FFMPEG = '/usr/bin/ffmpeg'
const isHere = existsSync(FFMPEG)
const isDemanded = Boolean(process.env.CI) || process.env.FFMPEG === 'required'
/** Reason why tests with real cameras and players are skipped; undefined when they run or must fail. */
export const withoutFfmpeg = isHere || isDemanded ? undefined : `${FFMPEG} is missing: apt-get install ffmpeg`

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=15', '-f', 'lavfi', '-i', 'sine']
const ENCODING = '-preset ultrafast -g 15 -keyint_min 15 -sc_threshold 0 -pix_fmt yuv420p -c:a aac'.split(' ')
const CODECS = {
  h264: ['-c:v', 'libx264'],
  h265: ['-c:v', 'libx265', '-x265-params', 'log-level=error:keyint=15'],
} as const
const FRAGMENTED = 'movflags=+frag_keyframe+empty_moov+default_base_moof'
const CONTAINERS = {
  ts: ['-segment_format', 'mpegts'],
  fmp4: ['-segment_format', 'mp4', '-segment_format_options', FRAGMENTED],
} as const

/** A file that a camera recorded. */
export interface Clip {
  readonly bytes: Buffer
  readonly durationMs: number
  /** Bytes before the first fragment; 0 for MPEG-TS. */
  readonly initBytes: number
}

/** Records `seconds` of a test picture with sound in files of 4 s, as a camera does. */
export async function recordClips(
  folder: string,
  container: keyof typeof CONTAINERS,
  seconds: number,
  codec: keyof typeof CODECS = 'h264',
): Promise<Clip[]> {
  const segments = ['-f', 'segment', '-segment_time', '4', '-segment_list', 'list.csv', '-segment_list_type', 'csv']
  const output = [
    '-map',
    '0:v',
    '-map',
    '1:a',
    '-t',
    String(seconds),
    ...CODECS[codec],
    ...ENCODING,
    ...segments,
    ...CONTAINERS[container],
    '%05d.media',
  ]
  await run(FFMPEG, ['-loglevel', 'error', ...PICTURE, ...output], { cwd: folder, timeout: 60_000 })
  const lines = (await readFile(join(folder, 'list.csv'), 'utf8')).trim().split('\n')
  return Promise.all(
    lines.map(async (line) => {
      const [name = '', from = '', to = ''] = line.split(',')
      const bytes = await readFile(join(folder, name))
      const initBytes = container === 'fmp4' ? bytes.indexOf('moof') - 4 : 0
      return { bytes, durationMs: Math.round((Number(to) - Number(from)) * 1000), initBytes }
    }),
  )
}

/** Encodes a file with these options of ffmpeg and returns its bytes. */
export async function encodeFile(folder: string, name: string, options: readonly string[]): Promise<Buffer> {
  await run(FFMPEG, ['-y', '-loglevel', 'error', ...options, name], { cwd: folder, timeout: 60_000 })
  return readFile(join(folder, name))
}

/** Returns the length of a playlist in seconds, as ffprobe reads it. */
export async function probeSeconds(url: string): Promise<number> {
  const asked = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', url]
  return Number((await run('/usr/bin/ffprobe', asked, { timeout: 60_000 })).stdout)
}

/** Decodes a whole playlist. Returns the errors that ffmpeg prints, and the number of decoded frames. */
export async function decode(url: string): Promise<{ errors: string; frames: number }> {
  const asked = ['-v', 'error', '-stats', '-i', url, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'null', '-']
  const { stderr } = await run(FFMPEG, asked, { timeout: 60_000 })
  const lines = stderr.split(/[\r\n]/).filter(Boolean)
  const frames = Number(/frame=\s*(\d+)/.exec(lines.findLast((line) => line.includes('frame=')) ?? '')?.[1] ?? 0)
  return { errors: lines.filter((line) => !line.includes('frame=')).join('\n'), frames }
}
