# Joins the runner's modules into one classic script; needs neither node nor npm.
#
#   cmake -DOUT=FILE -DSOURCE=FOLDER -DMODULES=main,wire,... [-DFIRST=NAME] -DMAIN=NAME
#       -DWORKER=NAME -P bundle.cmake
#
# The script is one function expression, function (require, given), so that its text can be
# evaluated and called here and again in a worker: given.worker tells which of the modules
# starts. What FIRST's start(given) returns is the second argument of MAIN's, which is not loaded
# before. Each module becomes a function that runs once, when it is first asked for, and returns
# what it exports. It stands in parentheses, so that the engine compiles it along with the script:
# what is compiled by the time that the script's code is cached, a worker gets from there.
#
# What this script understands:
#
#   import { a, b as c } from './module.js';     import { a } from 'node:module';
#   import name from 'node:module';     import * as name from 'node:module';
#   export const a = ...  export function a  export async function a  export class A
#
# and it stops at anything else that begins a line with "import" or "export".
cmake_minimum_required(VERSION 3.21)

# Lists of CMake and brackets or semicolons of JavaScript do not mix: they are hidden meanwhile.
string(ASCII 1 semicolon)
string(ASCII 2 open)
string(ASCII 3 close)

string(REPLACE "," ";" modules "${MODULES}")
set(bundle "(function (require, given) {\n'use strict';\nconst $modules = { __proto__: null };\n")
string(APPEND bundle "const $loaded = { __proto__: null };\n")
string(APPEND bundle
    "const $load = (name) => $loaded[name] || ($loaded[name] = $modules[name]());\n")

foreach(module IN LISTS modules)
    file(READ "${SOURCE}/${module}.js" text)
    string(REPLACE ";" "${semicolon}" text "${text}")
    string(REPLACE "[" "${open}" text "${text}")
    string(REPLACE "]" "${close}" text "${text}")
    set(text "\n${text}")

    # Lines that are a comment from their first word on only cost bytes on the way.
    string(REGEX REPLACE "\n *//[^\n]*" "" text "${text}")

    # import { b as c } means const { b: c }, but only between those braces.
    string(REGEX MATCHALL "\nimport {[^}]*} from '[^']*'${semicolon}" imports "${text}")
    foreach(import IN LISTS imports)
        string(REPLACE " as " ": " renamed "${import}")
        string(REPLACE "${import}" "${renamed}" text "${text}")
        if(import MATCHES "from '\\./([^']*)\\.js'" AND NOT CMAKE_MATCH_1 IN_LIST modules)
            message(FATAL_ERROR "bundle: ${module}.js imports ${CMAKE_MATCH_1}.js, "
                "which is no module of the bundle")
        endif()
    endforeach()
    string(REGEX REPLACE "\nimport ({[^}]*}) from '\\./([a-z0-9]+)\\.js'${semicolon}"
        "\nconst \\1 = $load('\\2')${semicolon}" text "${text}")
    string(REGEX REPLACE "\nimport ({[^}]*}|[a-zA-Z]+) from '(node:[a-z_/0-9]+)'${semicolon}"
        "\nconst \\1 = require('\\2')${semicolon}" text "${text}")
    string(REGEX REPLACE "\nimport [*] as ([a-zA-Z]+) from '(node:[a-z_/0-9]+)'${semicolon}"
        "\nconst \\1 = require('\\2')${semicolon}" text "${text}")

    set(names "")
    string(REGEX MATCHALL "\nexport (const|async function|function|class) ([A-Za-z0-9_$]+)"
        exports "${text}")
    foreach(export IN LISTS exports)
        string(REGEX REPLACE ".* " "" name "${export}")
        string(APPEND names "${name}, ")
    endforeach()
    string(REGEX REPLACE "\nexport (const|async function|function|class) ([A-Za-z0-9_$])"
        "\n\\1 \\2" text "${text}")

    if(text MATCHES "\n((import|export)[^A-Za-z0-9_$.(][^\n]*)")
        message(FATAL_ERROR "bundle: ${module}.js: not understood: ${CMAKE_MATCH_1}")
    endif()
    string(REPLACE "${semicolon}" ";" text "${text}")
    string(REPLACE "${open}" "[" text "${text}")
    string(REPLACE "${close}" "]" text "${text}")
    string(APPEND bundle "$modules.${module} = (function () {${text}return { ${names}};\n});\n")
endforeach()

string(APPEND bundle "if (given.worker) return $load('${WORKER}').start(given);\n")
if(FIRST)
    string(APPEND bundle "const opened = $load('${FIRST}').start(given);\n")
    string(APPEND bundle "return $load('${MAIN}').start(given, opened);\n})")
else()
    string(APPEND bundle "return $load('${MAIN}').start(given);\n})")
endif()
file(WRITE "${OUT}" "${bundle}")
