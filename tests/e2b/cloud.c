/* cloud.c - starts node, reads the line that it prints, and asks its admin port. */
#include "test.h"

#include "cloud.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MOST = 24 };

static char answer[CLOUD_ANSWER];
static size_t answer_len;

const char *cloud_node(void)
{
    static char first[4096];
    const char *nodes = getenv("ERRAND_TEST_NODES");

    if (nodes == NULL || nodes[0] == '\0')
        return "node";
    (void)snprintf(first, sizeof(first), "%.*s", (int)strcspn(nodes, ":"), nodes);
    return first;
}

static void take(char to[static CLOUD_TEXT], const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));

    assert_non_null(text);
    (void)snprintf(to, CLOUD_TEXT, "%s", text);
}

static void lead_there(const struct cloud *cloud)
{
    (void)setenv("E2B_API_URL", cloud->api_url, 1);
    (void)setenv("E2B_SANDBOX_URL", cloud->sandbox_url, 1);
    (void)setenv("E2B_API_KEY", cloud->key, 1);
}

static void read_line(struct cloud *cloud, int output)
{
    char line[4096];
    size_t len = 0;

    while (len + 1 < sizeof(line) && read(output, line + len, 1) == 1 && line[len] != '\n')
        len++;
    line[len] = '\0';
    json_auto_t *root = json_loads(line, 0, NULL);
    if (root == NULL)
        fail_msg("the test server did not start: \"%s\"", line);
    take(cloud->api_url, root, "apiUrl");
    take(cloud->sandbox_url, root, "sandboxUrl");
    take(cloud->admin_url, root, "adminUrl");
    take(cloud->key, root, "apiKey");
    const char *envd_url = json_string_value(json_object_get(root, "envdUrl"));
    (void)snprintf(cloud->envd_url, CLOUD_TEXT, "%s", envd_url == NULL ? "" : envd_url);
}

static void become_server(const int *input, const int *output, const char *const *words)
{
    const char *argv[WORDS_MOST] = {cloud_node(), E2B_SERVER, "--port", "0"};
    size_t count = 4;

    for (size_t i = 0; words != NULL && words[i] != NULL && count + 1 < WORDS_MOST; i++)
        argv[count++] = words[i];
    (void)dup2(input[0], STDIN_FILENO);
    (void)dup2(output[1], STDOUT_FILENO);
    (void)setsid();
    (void)execvp(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

void cloud_start(struct cloud *cloud, const char *const *words)
{
    int input[2], output[2];

    assert_int_equal(pipe2(input, O_CLOEXEC), 0);
    assert_int_equal(pipe2(output, O_CLOEXEC), 0);
    cloud->pid = fork();
    assert_true(cloud->pid >= 0);
    if (cloud->pid == 0)
        become_server(input, output, words);
    (void)close(input[0]);
    (void)close(output[1]);
    cloud->input = input[1];
    read_line(cloud, output[0]);
    (void)close(output[0]);
    lead_there(cloud);
}

void cloud_end(struct cloud *cloud)
{
    int status = 0;

    (void)close(cloud->input);
    assert_int_equal(waitpid(cloud->pid, &status, 0), cloud->pid);
}

/* --- Admin ------------------------------------------------------------------------------------ */

static size_t keep(char *bytes, size_t size, size_t count, void *ctx)
{
    size_t len = size * count;

    (void)ctx;
    assert_true(answer_len + len < sizeof(answer));
    memcpy(answer + answer_len, bytes, len);
    answer_len += len;
    return len;
}

const char *cloud_ask(const struct cloud *cloud, const char *method, const char *path,
                      const char *body)
{
    char url[2 * CLOUD_TEXT];
    CURL *easy = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    long status = 0;

    answer_len = 0;
    (void)snprintf(url, sizeof(url), "%s%s", cloud->admin_url, path);
    (void)curl_easy_setopt(easy, CURLOPT_URL, url);
    (void)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
    (void)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    (void)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    if (body != NULL)
        (void)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    assert_int_equal(curl_easy_perform(easy), CURLE_OK);
    (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    answer[answer_len] = '\0';
    if (status < 200 || status > 299)
        fail_msg("%s %s: %ld %s", method, path, status, answer);
    return answer;
}

void cloud_fault(const struct cloud *cloud, const char *order)
{
    char body[4096];

    (void)snprintf(body, sizeof(body), "%s", order);
    for (char *at = body; *at != '\0'; at++) {
        if (*at == '\'')
            *at = '"';
    }
    (void)cloud_ask(cloud, "POST", "/faults", body);
}

void cloud_no_faults(const struct cloud *cloud)
{
    (void)cloud_ask(cloud, "DELETE", "/faults", NULL);
    (void)cloud_ask(cloud, "DELETE", "/requests", NULL);
}

/* The list itself, or the one that stands in it. */
static const json_t *list_in(const json_t *root, const char *name)
{
    return json_is_array(root) ? root : json_object_get(root, name);
}

unsigned cloud_sandboxes(const struct cloud *cloud, const char **id)
{
    static char first[CLOUD_TEXT];
    json_auto_t *root = json_loads(cloud_ask(cloud, "GET", "/sandboxes", NULL), 0, NULL);
    const json_t *list = list_in(root, "sandboxes");
    const char *text = json_string_value(json_object_get(json_array_get(list, 0), "id"));

    assert_true(json_is_array(list));
    (void)snprintf(first, sizeof(first), "%s", text == NULL ? "" : text);
    if (id != NULL)
        *id = first;
    return (unsigned)json_array_size(list);
}

unsigned cloud_count(const struct cloud *cloud, const char *rpc)
{
    json_auto_t *root = json_loads(cloud_ask(cloud, "GET", "/requests", NULL), 0, NULL);
    const json_t *list = list_in(root, "requests");
    unsigned count = 0;

    assert_true(json_is_array(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_object_get(json_array_get(list, i), "rpc"));
        count += text != NULL && strcmp(text, rpc) == 0;
    }
    return count;
}

unsigned cloud_hits(const struct cloud *cloud)
{
    json_auto_t *root = json_loads(cloud_ask(cloud, "GET", "/faults", NULL), 0, NULL);
    json_int_t hits = 0;

    assert_true(json_is_array(root));
    for (size_t i = 0; i < json_array_size(root); i++)
        hits += json_integer_value(json_object_get(json_array_get(root, i), "hits"));
    return (unsigned)hits;
}

errand_e2b_options cloud_options(const struct cloud *cloud)
{
    errand_e2b_options options = ERRAND_E2B_OPTIONS_INIT;

    options.api_key = cloud->key;
    options.api_url = cloud->api_url;
    options.sandbox_url = cloud->sandbox_url;
    return options;
}
