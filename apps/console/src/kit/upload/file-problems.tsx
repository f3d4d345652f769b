import { findUploadProblem, type OneFileRule } from '@oms/contract/core/upload.ts'
import { useState } from 'react'
import '#kit/kit.css'

type Named = Pick<File, 'name'>

/** Problems of the files that were chosen last in a field. */
export function useFileProblems() {
  const [problems, setProblems] = useState<readonly string[]>([])
  return {
    problems,
    /** Returns whether the rule allows a chosen file. When not, the problem says that the field keeps `kept`. */
    accept: (rule: OneFileRule, file: File, kept?: Named) => {
      const problem = findUploadProblem(rule, file)
      setProblems(problem ? [kept ? `${problem} 已保留之前选择的「${kept.name}」。` : problem] : [])
      return problem === undefined
    },
    /** Adds a problem. `file` names the file when a field accepts several files. */
    add: (problem: string, file?: Named) => {
      const text = file ? `「${file.name}」${problem}` : problem
      setProblems((all) => (all.includes(text) ? all : [...all, text]))
    },
    clear: () => setProblems([]),
  }
}

/** Shows at a field why files were refused, until other files are chosen. */
export function FileProblems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return null
  return (
    <ul className="kit-plain kit-problem kit-words" role="alert">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )
}
